/** Text as bytes in a memory of their own, which threads hand over instead of copying it. */
export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
