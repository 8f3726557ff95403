import { plain as words } from '../filters/words.ts';
import * as Prng from './prng.ts';

type Tongue = { first: readonly string[]; last: readonly string[] };

function tongue(first: string, last: string): Tongue {
  return { first: first.split(' '), last: last.split(' ') };
}

const english = tongue(
  'Olivia James Emma William Charlotte Henry Amelia Jack Grace Thomas Hannah Daniel Ruby Samuel Alice Benjamin Chloe Joseph Megan Oliver Laura Ethan Naomi Marcus Erin Caleb Tessa Nathan Phoebe Owen',
  'Smith Taylor Brown Walker Hughes Bennett Carter Foster Palmer Reed Collins Murphy Turner Brooks Hayes Sullivan Porter Grant Fletcher Lawson Whitaker Doyle Mercer Holloway Pearce Barlow Ashford Calloway Sutton Marsh',
);
const german = tongue(
  'Anna Lukas Marie Felix Sophie Jonas Lena Maximilian Clara Paul Johanna Leon Katharina Moritz Greta Tobias Helene Sebastian Franziska Matthias',
  'Müller Schneider Fischer Weber Wagner Becker Hoffmann Schäfer Koch Richter Wolf Neumann Schwarz Krüger Hartmann Lange Vogel Winkler Lorenz Brandt',
);
const french = tongue(
  'Camille Louis Chloé Hugo Léa Antoine Manon Nicolas Élise Mathieu Juliette Raphaël Amélie Guillaume Inès Étienne Margaux Benoît Clémence Julien',
  'Martin Bernard Dubois Moreau Laurent Girard Lefèvre Roux Fournier Mercier Lambert Bonnet François Garnier Faure Rousseau Perrin Chevalier Renaud Marchand',
);
const spanish = tongue(
  'Lucía Mateo Sofía Alejandro Valentina Diego Camila Javier Paula Andrés Elena Pablo Carmen Santiago Marta Rafael Daniela Tomás Irene Emilio',
  'García Rodríguez Martínez López Fernández Torres Ramírez Vargas Castillo Herrera Medina Rojas Navarro Ortega Delgado Ríos Salazar Peña Aguilar Molina',
);
const portuguese = tongue(
  'Ana João Beatriz Pedro Mariana Lucas Inês Gabriel Larissa Rafael Carolina Thiago Fernanda Bruno Juliana Gustavo Letícia Rodrigo Camila Felipe',
  'Silva Santos Oliveira Souza Pereira Costa Ferreira Almeida Ribeiro Carvalho Gomes Araújo Barbosa Cardoso Teixeira Moreira Nunes Monteiro Azevedo Pinto',
);
const italian = tongue(
  'Giulia Marco Francesca Luca Chiara Matteo Elisa Davide Sara Lorenzo Martina Andrea Silvia Stefano Valeria Paolo',
  'Rossi Russo Ferrari Bianchi Romano Colombo Ricci Marino Greco Conti Gallo Mancini Barbieri Fontana Moretti Rinaldi',
);
const nordic = tongue(
  'Astrid Erik Freja Lars Ingrid Nils Maja Oskar Linnea Henrik Sofie Anders Elin Mikkel Saga Jens Kaisa Aleksi Liv Magnus',
  'Johansson Andersen Nilsson Hansen Lindberg Larsen Bergström Virtanen Pedersen Holm Dahl Korhonen Sørensen Lund Åberg Nygaard Solberg Eklund Haugen Strand',
);
const dutch = tongue(
  'Sanne Daan Lotte Bram Femke Thijs Anouk Sem Maud Jeroen Eva Ruben Fleur Koen Iris Wouter',
  'Jansen Bakker Visser Smit Meijer Mulder Peeters Maes Jacobs Claes Hendriks Dekker Vermeulen Kuipers Willems Bosman',
);
const slavic = tongue(
  'Zofia Jakub Katarzyna Tomasz Petra Marek Ivana Piotr Magdalena Ondřej Oksana Andrii Elena Krzysztof Anastasia Bogdan Ioana Radu Hana Vojtěch',
  'Kowalski Nowak Wiśniewski Wójcik Novák Dvořák Svoboda Kovács Horváth Popescu Ionescu Petrov Dimitrov Shevchenko Bondarenko Zieliński Kučera Nagy Stoica Kamiński',
);
const indian = tongue(
  'Priya Arjun Ananya Rahul Kavya Vikram Meera Aditya Nisha Karthik Divya Sanjay Pooja Rohan Lakshmi Nikhil Shreya Varun Aishwarya Manish',
  'Sharma Patel Reddy Iyer Gupta Nair Singh Menon Rao Kulkarni Desai Banerjee Mehta Joshi Pillai Chatterjee Verma Bhat Kapoor Krishnan',
);
const eastAsian = tongue(
  'Yuki Haruto Sakura Ren Min-jun Seo-yeon Ji-ho Wei Mei Jun Li-na Hao Xin-yi Kenji Aiko Chen-wei Hye-jin Takumi Emi Jian',
  'Tanaka Suzuki Sato Watanabe Kim Lee Park Choi Chen Lin Wang Zhang Liu Huang Ito Nakamura Kobayashi Wong Chan Tan',
);
const southEastAsian = tongue(
  'Nguyen Siti Budi Maria Arif Putri Jose Ngoc Somchai Dewi Carlo Linh Farid Anong Rizal Thanh Aisyah Miguel Kanya Minh',
  'Santoso Reyes Tran Wijaya Cruz Pham Rahman Bautista Le Hidayat Mendoza Vo Ismail Suwan Garcia Do Lim Ramos Hassan Dang',
);
const arabic = tongue(
  'Layla Omar Noor Yusuf Fatima Khalid Mariam Hassan Salma Tariq Dana Ali Rania Karim Huda Ziad Yael Noam Deniz Elif',
  'Haddad Mansour Khalil Nasser Farouk Aziz Saleh Hamdan Darwish Yılmaz Demir Kaya Levi Cohen Mizrahi Rahal Sabbagh Tannous Younes Zaki',
);
const african = tongue(
  'Amara Kwame Thandiwe Chidi Zanele Tunde Wanjiru Kofi Ngozi Sipho Abena Emeka Lerato Juma Adaeze Themba Akinyi Yaw Folake Mandla',
  'Okafor Mensah Dlamini Adeyemi Mwangi Nkosi Owusu Eze Ndlovu Otieno Boateng Balogun Mokoena Kamau Asante Nwosu Khumalo Odhiambo Bello Zulu',
);

const byCountry: Readonly<Record<string, Tongue>> = {
  ...spread('DE AT CH LU', german),
  ...spread('FR BE', french),
  ...spread('ES MX AR CL CO PE CR', spanish),
  ...spread('BR PT', portuguese),
  ...spread('IT GR', italian),
  ...spread('DK SE NO FI EE LV LT', nordic),
  ...spread('NL', dutch),
  ...spread('PL CZ HU RO BG UA', slavic),
  ...spread('IN', indian),
  ...spread('JP KR HK TW SG', eastAsian),
  ...spread('MY ID PH TH VN', southEastAsian),
  ...spread('TR IL AE SA EG', arabic),
  ...spread('NG KE GH ZA', african),
};
const everywhere = [english, german, french, spanish, indian, eastAsian, portuguese, slavic, african];
const fromElsewhere = 0.12;

/** Draws a first and a last name that are common in the country. */
export function person(prng: Prng.Prng, country: string): { first: string; last: string } {
  const local = byCountry[country] ?? english;
  const { first, last } = Prng.chance(prng, fromElsewhere) ? Prng.pick(prng, everywhere) : local;
  return { first: Prng.pick(prng, first), last: Prng.pick(prng, last) };
}

export function surname(prng: Prng.Prng, country: string): string {
  return Prng.pick(prng, (byCountry[country] ?? english).last);
}

const plainNames = new Map<string, string>();

/** Converts a name for use in email addresses and URLs. Cached, because names recur. */
export function plain(name: string): string {
  const known = plainNames.get(name);
  if (known !== undefined) return known;
  const written = words(
    name.replaceAll('ø', 'o').replaceAll('ł', 'l').replaceAll('ı', 'i').replaceAll('Å', 'A'),
  ).join('-');
  plainNames.set(name, written);
  return written;
}

function spread(countries: string, names: Tongue): Record<string, Tongue> {
  return Object.fromEntries(countries.split(' ').map((country) => [country, names]));
}
