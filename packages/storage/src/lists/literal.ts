/** Of a pattern, whatever the text holds. */
export const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
