import {
  getCountries,
  getCountryCallingCode,
  Metadata,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js/max'

const COUNTRIES: ReadonlySet<string> = new Set(getCountries())

/** Whether a text is the ISO 3166 code of a country with a numbering plan, such as `BR`. */
export function isCountry(text: string): text is CountryCode {
  return COUNTRIES.has(text)
}

/**
 * Adds the country code to a number in its national format: `11 98888-0002` in Brazil becomes `5511988880002`. A number
 * with `+`, one that is not valid in the country, and any other text is returned unchanged (G30).
 */
export function completeNational(text: string, country: string | null): string {
  if (country === null || !isCountry(country) || !/^[\d\s().\-/]+$/.test(text)) return text
  if (isComplete(text, country)) return text
  const number = parsePhoneNumberFromString(text, country)
  if (!number?.isValid() || number.country !== country) return text
  return number.number.replace('+', '')
}

type Plan = { callingCode: string; longest: number }
const plans = new Map<CountryCode, Plan>()

function planOf(country: CountryCode): Plan {
  const known = plans.get(country)
  if (known) return known
  const metadata = new Metadata()
  metadata.selectNumberingPlan(country)
  const longest = Math.max(...(metadata.numberingPlan?.possibleLengths() ?? [0]))
  const plan = { callingCode: getCountryCallingCode(country), longest }
  plans.set(country, plan)
  return plan
}

/**
 * Whether bare digits start with the country code and are too long for a national number, which is how API clients
 * usually send numbers.
 */
function isComplete(text: string, country: CountryCode): boolean {
  const { callingCode, longest } = planOf(country)
  return text.length > longest && text.startsWith(callingCode) && /^\d+$/.test(text)
}
