import { expect, test } from 'vitest'
import { shownAddress, withoutCredentials } from './without-credentials.ts'

test.each([
  ['https://user:pass@host/a.zip', 'https://host/a.zip'],
  ['https://token@host/a.zip', 'https://host/a.zip'],
  ['HTTPS://u:p@ss@host/a', 'HTTPS://host/a'],
  ['https://host/a.zip?X-Amz-Signature=secret&b=1: timed out', 'https://host/a.zip?…: timed out'],
  ['https://host/a.zip#secret', 'https://host/a.zip?…'],
  [
    "Import failed: 'ftp://u:p@h/x?q=1' and https://v:w@i/y?r: no",
    "Import failed: 'ftp://h/x?…' and https://i/y?…: no",
  ],
  ['https://host/a.zip?q answered with status 404', 'https://host/a.zip?… answered with status 404'],
  ['mail a@b.c, 5 > 3? yes', 'mail a@b.c, 5 > 3? yes'],
  ['https://host/a@b/c', 'https://host/a@b/c'],
])('%s', (text, shown) => {
  expect(withoutCredentials(text)).toBe(shown)
})

test.each([
  ['https://host/a@b.zip', 'https://host/a@b.zip'],
  ['https://host?token=secret', 'https://host?…'],
  ['https://user:secret@host/a.zip?secret#secret', 'https://host/a.zip?…'],
  ['https://user:se cret@host/a.zip', 'https://host/a.zip'],
  ["https://user:'secret'@host/a.zip", 'https://host/a.zip'],
  ['https:user:secret@host/a.zip', 'https://host/a.zip'],
  ['https:\\\\user:secret@host/a.zip', 'https://host/a.zip'],
  ['https://user:secret/secret@host/a.zip', 'https://host/a.zip'],
  ['https://user:secret?secret@host/a.zip?secret', 'https://host/a.zip?…'],
  ['https://user:secret@[::1', 'https://[::1'],
  ['//user:secret@host/a.zip', 'host/a.zip'],
  ['user:secret@host/a.zip', 'host/a.zip'],
  ['no address', 'no address'],
])('of the address %s', (address, shown) => {
  expect(shownAddress(address)).toBe(shown)
})
