import { badParameter } from '../errors/messages.ts'

/** Degrees. */
export type Location = { readonly latitude: number; readonly longitude: number }

/** `latitude,longitude`; an empty text means none. @throws bad_parameters_error */
export function parseLocation(text: string): Location | undefined {
  if (text.trim() === '') return undefined
  const parts = text.split(',').map((part) => part.trim())
  const [latitude, longitude] = parts.map((part) => (isDecimal(part) ? Number(part) : Number.NaN))
  const isValid =
    parts.length === 2 &&
    latitude !== undefined &&
    longitude !== undefined &&
    Math.abs(latitude) <= 90 &&
    Math.abs(longitude) <= 180
  if (isValid) return { latitude, longitude }
  throw badParameter(
    `Invalid location \`${text}\`, the format is expected to be "latitude,longitude" such as "32.071072,34.787274"`,
    { hint: 'The latitude is from -90 to 90, the longitude from -180 to 180' },
  )
}

const isDecimal = (text: string) => /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text)
