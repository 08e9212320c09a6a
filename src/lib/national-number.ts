import { getCountries, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max'

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
  const number = parsePhoneNumberFromString(text, country)
  if (!number?.isValid() || number.country !== country) return text
  return number.number.replace('+', '')
}
