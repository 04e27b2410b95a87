/** Cases that are answered differently on purpose: id → the reason. */
export const DELIBERATE: ReadonlyMap<string, string> = new Map([
  [
    '43d02fd0388f9683',
    'error_message is shown instead of the standard text, so it must stay in the plan; the reference loses it when it checks a default',
  ],
  [
    '784fb0baf30363a1',
    'the 1_3 types file stands for those of old releases (here 5.0.5, by URL); it has newer operations',
  ],
  [
    'd97a9d14e448f39b',
    'an unknown name is plain data; to_upper was registered by a test of the reference and is no function of the language',
  ],
])
