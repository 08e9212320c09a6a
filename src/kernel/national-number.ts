import {
  getCountries,
  getCountryCallingCode,
  Metadata,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js/max'

const COUNTRIES: ReadonlySet<string> = new Set(getCountries())

/** Whether a text is an ISO 3166 code of a country with telephone numbers, such as `BR`. */
export function isCountry(text: string): text is CountryCode {
  return COUNTRIES.has(text)
}

/**
 * Completes a number that was typed as people of a country write it: `11 98888-0002` in Brazil becomes `5511988880002`. A
 * number with `+`, one that is not valid there, and anything else stays as typed (contract §2.7).
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

/** Whether bare digits begin with the country's code and are too many for a national number: programs send these, most of all. */
function isComplete(text: string, country: CountryCode): boolean {
  const { callingCode, longest } = planOf(country)
  return text.length > longest && text.startsWith(callingCode) && /^\d+$/.test(text)
}
