export { decryptFernet, encryptFernet, keyOfPassphrase } from './fernet.ts'
export { type KeyRing, newKey, openKeyRing, type Sealed, tokenOf } from './key-ring.ts'
export { loadKeys, rotateKeys } from './keys.ts'
