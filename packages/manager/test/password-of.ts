/** Of every user that tests make. */
export const passwordOf = (username: string): string => `${username}-password`
