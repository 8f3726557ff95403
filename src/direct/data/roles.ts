import * as Prng from './prng.ts';

/** A line of work: what it is called, what it takes and what it does. */
export type Role = {
  title: string;
  /** The professional field label of its postings. */
  field: string;
  /** The job function of its people. */
  function: string;
  skills: readonly string[];
  /** Clauses that follow "to". */
  duties: readonly string[];
  /** Whether it has the ladder of offices (Principal, Director) or that of trades (Lead). */
  ladder: 'office' | 'trade';
};

type Family = {
  field: string;
  function: string;
  ladder: Role['ladder'];
  titles: string;
  skills: string;
  duties: string;
};

const families: Readonly<Record<string, Family>> = {
  software: {
    field: 'Software Engineering',
    function: 'Engineering',
    ladder: 'office',
    titles:
      'Software Engineer|Backend Engineer|Frontend Engineer|Full Stack Engineer|Mobile Engineer|Site Reliability Engineer|QA Engineer|Platform Engineer',
    skills:
      'TypeScript|Python|Go|Java|Kotlin|React|PostgreSQL|Kubernetes|AWS|Terraform|GraphQL|CI/CD|distributed systems',
    duties:
      'design and ship the services that customers use every day|shorten the way from an idea to a safe release|make a growing platform faster and easier to run|pay down old code while new features go out|own features from the first sketch to production',
  },
  data: {
    field: 'Data & Analytics',
    function: 'Information Technology',
    ladder: 'office',
    titles:
      'Data Engineer|Data Analyst|Data Scientist|Analytics Engineer|Machine Learning Engineer|Business Intelligence Analyst',
    skills:
      'SQL|Python|dbt|Airflow|Spark|Snowflake|machine learning|forecasting|data modelling|Tableau|experiment design|statistics',
    duties:
      'build the batch and streaming pipelines that reports rest on|turn open questions into figures that hold|bring models from the notebook into production|keep the data catalogue clean and trusted|help every team to read its own numbers',
  },
  infrastructure: {
    field: 'IT & Infrastructure',
    function: 'Information Technology',
    ladder: 'office',
    titles:
      'Systems Administrator|Network Engineer|IT Support Specialist|Cloud Engineer|Database Administrator|Solutions Architect',
    skills:
      'Linux|Windows Server|Azure|VMware|networking|ITIL|PostgreSQL|scripting|backup and recovery|identity management',
    duties:
      'keep the systems behind daily work available and patched|move workloads into the cloud without surprises|answer and settle requests from colleagues on several sites|plan capacity ahead of demand',
  },
  security: {
    field: 'Information Security',
    function: 'Information Technology',
    ladder: 'office',
    titles: 'Security Engineer|Security Analyst|Penetration Tester|Identity and Access Engineer',
    skills:
      'threat modelling|SIEM|incident response|cloud security|penetration testing|ISO 27001|cryptography|identity management',
    duties:
      'find weak points before others do|watch, triage and close security incidents|build security checks into every release|guide teams through audits',
  },
  product: {
    field: 'Product Management',
    function: 'Research & Development',
    ladder: 'office',
    titles: 'Product Manager|Product Owner|Technical Program Manager|Product Operations Specialist',
    skills:
      'roadmapping|user research|prioritisation|agile delivery|analytics|stakeholder management|pricing',
    duties:
      'decide with customers what is built next|turn a broad goal into a roadmap that teams believe in|bring launches across several teams to a calm end|measure whether what was shipped is used',
  },
  design: {
    field: 'Design',
    function: 'Art, Culture and Creative Professionals',
    ladder: 'office',
    titles: 'Product Designer|UX Researcher|Graphic Designer|Brand Designer|Service Designer',
    skills: 'Figma|prototyping|design systems|user research|typography|accessibility|illustration',
    duties:
      'shape how the product looks, reads and behaves|test early ideas with the people who will use them|keep one visual language over many channels|make complex tasks feel simple',
  },
  sales: {
    field: 'Sales',
    function: 'Sales & Business Development',
    ladder: 'office',
    titles:
      'Account Executive|Sales Development Representative|Key Account Manager|Business Development Manager|Sales Engineer|Inside Sales Representative|Attaché Commercial',
    skills:
      'prospecting|negotiation|CRM|Salesforce|forecasting|consultative selling|contract management|public tenders',
    duties:
      'win new customers and keep the pipeline honest|grow a portfolio of existing accounts|open a new territory with a small team|show prospects how the product fits their work',
  },
  marketing: {
    field: 'Marketing',
    function: 'Advertising & Marketing',
    ladder: 'office',
    titles:
      'Marketing Manager|Content Strategist|Performance Marketing Specialist|SEO Specialist|Communications Manager|Social Media Manager|Event Coordinator',
    skills:
      'campaign planning|SEO|copywriting|marketing automation|Google Ads|brand strategy|analytics|event management',
    duties:
      'plan campaigns and prove what they bring|give the brand a clear voice in every channel|bring qualified visitors at a sensible cost|prepare fairs, webinars and customer days',
  },
  success: {
    field: 'Customer Success',
    function: 'Customer/Client Service',
    ladder: 'office',
    titles:
      'Customer Success Manager|Customer Support Specialist|Implementation Consultant|Client Services Coordinator|Call Center Agent',
    skills:
      'onboarding|account health|troubleshooting|Zendesk|training|written communication|retention analysis',
    duties:
      'see customers from signature to daily use|answer questions quickly and in plain words|notice early where a customer is at risk|train new users on site and online',
  },
  finance: {
    field: 'Finance & Accounting',
    function: 'Finance & Accounting',
    ladder: 'office',
    titles:
      'Accountant|Financial Analyst|Controller|Payroll Specialist|Tax Advisor|Internal Auditor|Treasury Analyst|Credit Analyst',
    skills: 'IFRS|budgeting|financial modelling|Excel|SAP|audit|tax|month-end close|risk analysis',
    duties:
      'close the books on time and without open questions|explain variances to the people who can act on them|prepare budgets and forecasts with the departments|keep payments, taxes and audits in order',
  },
  insurance: {
    field: 'Insurance & Risk',
    function: 'Finance & Accounting',
    ladder: 'office',
    titles: 'Underwriter|Claims Adjuster|Actuarial Analyst|Risk Manager|Insurance Advisor',
    skills: 'underwriting|claims handling|actuarial modelling|risk analysis|Solvency II|negotiation',
    duties:
      'judge and price risks for business customers|settle claims fairly and quickly|model reserves and explain them|advise customers on cover that fits',
  },
  people: {
    field: 'Human Resources',
    function: 'Human Resources',
    ladder: 'office',
    titles:
      'HR Business Partner|Recruiter|Talent Acquisition Specialist|Learning and Development Manager|HR Generalist',
    skills: 'recruiting|employment law|onboarding|coaching|compensation|Workday|interviewing',
    duties:
      'find and win people for hard-to-fill roles|advise managers in all questions of staff|build a training programme that people ask for|make the first weeks of newcomers a good start',
  },
  legal: {
    field: 'Legal & Compliance',
    function: 'Legal',
    ladder: 'office',
    titles:
      'Legal Counsel|Paralegal|Compliance Officer|Contract Manager|Data Protection Officer|Associate Attorney',
    skills: 'contract law|GDPR|corporate law|due diligence|legal research|compliance|negotiation',
    duties:
      'draft and negotiate contracts with customers and suppliers|advise the business on privacy and compliance|prepare cases, filings and opinions|keep policies short, current and followed',
  },
  operations: {
    field: 'Operations',
    function: 'Operations',
    ladder: 'office',
    titles:
      'Operations Manager|Project Manager|Business Analyst|Office Manager|Process Improvement Specialist|Executive Assistant',
    skills: 'project management|process improvement|lean|stakeholder management|budgeting|reporting|Excel',
    duties:
      'keep the daily business running across sites|find and remove what slows the teams down|plan and steer projects with many hands in them|prepare decisions with figures and options',
  },
  logistics: {
    field: 'Supply Chain & Logistics',
    function: 'Supply Chain & Logistics',
    ladder: 'trade',
    titles:
      'Supply Chain Planner|Warehouse Operative|Truck Driver|Logistics Coordinator|Freight Forwarder|Fleet Manager|Forklift Operator',
    skills:
      'inventory planning|SAP|route planning|customs clearance|warehouse management|forklift licence|demand planning',
    duties:
      'bring goods to the right dock on the right day|plan routes and loads with few empty miles|keep stock lean and shelves full|work with carriers and customs on cross-border freight',
  },
  purchasing: {
    field: 'Procurement',
    function: 'Purchasing',
    ladder: 'office',
    titles: 'Buyer|Procurement Specialist|Category Manager|Sourcing Manager',
    skills: 'sourcing|negotiation|supplier management|SAP|contract management|market analysis',
    duties:
      'find and develop suppliers that deliver|negotiate terms that both sides can live with|bring down cost without losing quality',
  },
  manufacturing: {
    field: 'Manufacturing & Production',
    function: 'Manufacturing & Production',
    ladder: 'trade',
    titles:
      'Production Operator|Machine Operator|CNC Machinist|Maintenance Technician|Quality Inspector|Process Technician|Welder',
    skills:
      'CNC|lean manufacturing|quality control|blueprint reading|preventive maintenance|welding|workplace safety',
    duties:
      'set up and run machines to tight tolerances|keep the line safe, clean and on schedule|find the cause of faults and prevent the next one|check parts and record what was measured',
  },
  engineering: {
    field: 'Mechanical & Electrical Engineering',
    function: 'Engineering',
    ladder: 'office',
    titles:
      'Mechanical Engineer|Electrical Engineer|Process Engineer|Automation Engineer|Embedded Systems Engineer|Manufacturing Engineer|Quality Engineer',
    skills: 'CAD|SolidWorks|PLC programming|MATLAB|C++|failure analysis|embedded C|six sigma|robotics',
    duties:
      'develop parts and assemblies from concept to series|bring new equipment into operation at customer sites|program and test controllers for demanding machines|raise yield and cut scrap with data from the line',
  },
  construction: {
    field: 'Construction',
    function: 'Construction',
    ladder: 'trade',
    titles:
      'Site Manager|Civil Engineer|Electrician|Plumber|Quantity Surveyor|Construction Foreman|Carpenter|BIM Coordinator',
    skills: 'site supervision|AutoCAD|building codes|cost estimation|BIM|workplace safety|scheduling',
    duties:
      'lead crews and subcontractors on site|keep quality, cost and dates in one hand|plan and check technical installations|survey quantities and settle accounts with clients',
  },
  science: {
    field: 'Research & Development',
    function: 'Science',
    ladder: 'office',
    titles:
      'Research Scientist|Laboratory Technician|Clinical Research Associate|Bioinformatician|Regulatory Affairs Specialist|Chemist',
    skills:
      'molecular biology|GMP|clinical trials|statistics|R|HPLC|regulatory submissions|laboratory automation',
    duties:
      'plan and run experiments and write up what they show|bring studies from protocol to report|prepare submissions for the authorities|move methods from the bench to production',
  },
  health: {
    field: 'Healthcare',
    function: 'Healthcare & Human Services',
    ladder: 'trade',
    titles:
      'Registered Nurse|Physiotherapist|Medical Assistant|Care Coordinator|Pharmacist|Radiographer|Social Worker|Dental Hygienist|Physician',
    skills:
      'patient care|triage|electronic health records|medication management|rehabilitation|infection control|counselling',
    duties:
      'care for patients on a friendly, well-staffed ward|plan treatment with doctors, families and services|keep records complete and current|help people back into everyday life',
  },
  education: {
    field: 'Education & Training',
    function: 'Education',
    ladder: 'trade',
    titles:
      'Teacher|Lecturer|Instructional Designer|Academic Advisor|Language Instructor|Teaching Assistant|Trainer',
    skills: 'curriculum design|classroom management|e-learning|assessment|mentoring|public speaking',
    duties:
      'teach in small groups and online|design courses that learners finish|advise students from first question to degree|train customers and colleagues on new methods',
  },
  hospitality: {
    field: 'Hospitality & Food Service',
    function: 'Operations',
    ladder: 'trade',
    titles:
      'Chef de Partie|Restaurant Manager|Café Manager|Front Desk Agent|Barista|Housekeeping Supervisor|Travel Consultant|Sous Chef',
    skills: 'guest relations|HACCP|menu planning|rota planning|reservations|food safety',
    duties:
      'make guests feel expected and well looked after|run a busy service with a steady hand|keep kitchen and store to the highest standard|plan menus, rotas and orders',
  },
  retail: {
    field: 'Retail',
    function: 'Sales & Business Development',
    ladder: 'trade',
    titles:
      'Store Manager|Sales Associate|Visual Merchandiser|Assistant Store Manager|E-commerce Manager|Cashier',
    skills: 'customer service|merchandising|stock control|point of sale|team leadership|e-commerce',
    duties:
      'run the shop floor and coach the team|advise customers and close sales|present products so that they sell themselves|keep stock and till in order',
  },
  media: {
    field: 'Media & Editorial',
    function: 'Writing/Editing',
    ladder: 'office',
    titles: 'Editor|Copywriter|Journalist|Video Producer|Technical Writer|Translator',
    skills:
      'editing|storytelling|video production|copywriting|fact checking|Adobe Creative Cloud|translation',
    duties:
      'find stories and tell them well|edit texts until they are clear and true|produce video from script to release|write documentation that answers the question',
  },
  public: {
    field: 'Public Services',
    function: 'Public Administration & Safety',
    ladder: 'trade',
    titles:
      'Policy Officer|Programme Coordinator|Case Worker|Security Officer|Grants Manager|Safety Inspector',
    skills: 'policy analysis|grant writing|community outreach|public procurement|risk assessment|reporting',
    duties:
      'turn policy into programmes that work on the ground|advise residents and partners|plan, fund and report on projects|keep people and places safe',
  },
  agriculture: {
    field: 'Agriculture',
    function: 'Manufacturing & Production',
    ladder: 'trade',
    titles: 'Farm Manager|Agronomist|Greenhouse Technician|Irrigation Specialist|Winemaker',
    skills: 'crop planning|soil science|irrigation|machinery maintenance|precision farming|food safety',
    duties:
      'plan crops and crews through the season|raise yield with less water and fewer inputs|look after machines, stores and harvest|advise growers in the field',
  },
};

const split = (text: string) => text.split('|');

/** Every role under the name of its family. */
const roles: ReadonlyMap<string, readonly Role[]> = new Map(
  Object.entries(families).map(([name, family]) => [
    name,
    split(family.titles).map((title) => ({
      title,
      field: family.field,
      function: family.function,
      ladder: family.ladder,
      skills: split(family.skills),
      duties: split(family.duties),
    })),
  ]),
);

/** One role of the family. */
export function of(prng: Prng.Prng, family: string): Role {
  const found = roles.get(family);
  if (!found) throw new RangeError(`no such family of roles: ${family}`);
  return Prng.pick(prng, found);
}
