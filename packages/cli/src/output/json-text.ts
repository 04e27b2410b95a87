/** JSON in which no character steers a terminal: what JSON lets stand is written as `\\u….` */
export const jsonText = (value: unknown, indent: number | undefined): string =>
  (JSON.stringify(value, null, indent) ?? 'null').replaceAll(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
