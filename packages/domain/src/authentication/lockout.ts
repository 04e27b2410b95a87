import type { ConfigValues } from '@tutti/storage'

/** When an account is locked (docs/reference/access.md, "Lockout"): a period of 0 or less never locks. */
export type Lockout = {
  readonly maxFailedLogins: number
  readonly periodMinutes: number
}

export const lockoutOf = (config: ConfigValues): Lockout => ({
  maxFailedLogins: config.get('failed_logins_before_account_lock'),
  periodMinutes: config.get('account_lock_period'),
})

export function isLocked(
  { maxFailedLogins, periodMinutes }: Lockout,
  user: { readonly failedLogins: number; readonly lastFailedLoginAt: Date | null },
  now: Date,
): boolean {
  if (periodMinutes <= 0 || user.failedLogins <= maxFailedLogins || user.lastFailedLoginAt === null)
    return false
  return user.lastFailedLoginAt.getTime() + periodMinutes * 60_000 > now.getTime()
}
