/** A profile of the real-time waterfall. Unknown members are absent. */
export interface RealTimeProfile {
  basic_info: BasicInfo;
  experience: RealTimeExperience[];
  education: RealTimeEducation[];
  certifications?: { name?: string; issuer?: string; issued_date?: string }[];
  languages?: { language?: string; proficiency?: string }[];
  /** Place in the list, from 1. */
  ranking: number;
  /** The step of the cascade that matched, from 1. */
  icp: number;
  what_matched: { key: string; value: string }[];
}

export interface BasicInfo {
  fullname?: string;
  first_name?: string;
  last_name?: string;
  headline?: string;
  public_identifier?: string;
  profile_url?: string;
  profile_picture_url?: string;
  about?: string;
  urn?: string;
  location?: { country?: string; city?: string; full?: string; country_code?: string };
  creator_hashtags?: unknown[];
  is_creator?: boolean;
  is_influencer?: boolean;
  is_premium?: boolean;
  open_to_work?: boolean;
  show_follower_count?: boolean;
  /** Milliseconds since 1970. */
  created_timestamp?: number;
  background_picture_url?: string;
  follower_count?: number;
  connection_count?: number;
  current_company?: string;
  current_company_urn?: string;
  current_company_url?: string;
  top_skills?: string[];
  email?: string | null;
}

/** A month is an abbreviation, such as `Mar`. */
export interface RealTimeDate {
  year?: number;
  month?: string;
}

export interface RealTimeExperience {
  title?: string;
  company?: string;
  location?: string;
  description?: string;
  /** Text for people, such as `2 yrs 3 mos`. */
  duration?: string;
  start_date?: RealTimeDate;
  /** Absent for a current position. */
  end_date?: RealTimeDate;
  is_current?: boolean;
  company_network_url?: string;
  company_logo_url?: string;
  employment_type?: string;
  location_type?: string;
  company_id?: string;
  skills?: string[];
  skills_url?: string;
}

export interface RealTimeEducation {
  school?: string;
  degree?: string;
  degree_name?: string;
  field_of_study?: string;
  duration?: string;
  school_network_url?: string;
  school_logo_url?: string;
  start_date?: RealTimeDate;
  end_date?: RealTimeDate;
  school_id?: string;
  description?: string;
  activities?: string;
}
