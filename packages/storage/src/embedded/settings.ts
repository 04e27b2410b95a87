/** One line of postgresql.conf with the reason that is written above it. */
export type Setting = readonly [name: string, value: string, reason: string]

/**
 * The whole postgresql.conf, for one machine of 2 or more cores that also runs Tutti. An administrator's own
 * changes belong into `ALTER SYSTEM`, whose file PostgreSQL reads after this one.
 */
export function settings(socketFolder: string): readonly Setting[] {
  return [
    ['listen_addresses', '', 'No TCP port: the only client is the process that started this server.'],
    ['unix_socket_directories', socketFolder, 'Beside the data, unless that path is too long for a socket.'],
    ['unix_socket_permissions', '0700', 'Only the owner (and root) may connect.'],
    [
      'max_connections',
      '100',
      'Pools of api, worker and queue together stay below 40; the rest is for people.',
    ],

    ['fsync', 'on', 'What was acknowledged survives a power cut. Never turn off.'],
    [
      'synchronous_commit',
      'on',
      'As above. Concurrent commits share one flush, so it costs latency, not rate.',
    ],
    ['full_page_writes', 'on', 'A page torn by a power cut is restored from the log.'],
    ['wal_buffers', '16MB', 'One log segment: blueprint archives are written in chunks of 1 MiB.'],
    ['max_wal_size', '2GB', 'With checkpoint_timeout: checkpoints by time, not by a burst of uploads.'],
    ['checkpoint_timeout', '15min', 'Fewer full page images in the log; recovery stays in seconds.'],

    [
      'shared_buffers',
      '128MB',
      'The hot rows of 100,000 deployments; the system caches the rest of the files.',
    ],
    ['effective_cache_size', '1GB', 'What the planner may expect of that cache.'],
    ['work_mem', '8MB', 'For each sort; list pages sort few rows.'],
    ['maintenance_work_mem', '64MB', 'For index builds of migrations, and vacuum.'],
    ['random_page_cost', '1.1', 'Solid state disks: an index beats a scan earlier than the default says.'],
    ['jit', 'off', 'Queries take milliseconds; compiling one takes tens of them.'],
    ['max_parallel_workers_per_gather', '0', 'Two cores serve many short queries, not one long one.'],

    ['autovacuum_naptime', '15s', 'Queue and execution rows change all the time and are few.'],
    ['autovacuum_vacuum_scale_factor', '0.05', 'As above: clean before the tables grow.'],

    ['logging_collector', 'on', 'Writes the log itself: it goes on, and rotates, when Tutti is killed.'],
    ['log_directory', '../log', 'Beside the data directory.'],
    ['log_filename', 'postgresql-%u.log', 'One file per day of the week, overwritten a week later.'],
    ['log_truncate_on_rotation', 'on', 'As above.'],
    ['log_rotation_age', '1d', 'As above.'],
    ['log_rotation_size', '0', 'As above.'],
    [
      'log_min_error_statement',
      'panic',
      'A failed statement is reported by Tutti; its text may hold user data.',
    ],
    ['log_timezone', 'UTC', 'As all times of Tutti.'],
    ['timezone', 'UTC', 'As all times of Tutti.'],
    ['cluster_name', 'tutti', 'Shown in the process list.'],
  ]
}

/** `overrides` replace values by name; they are for test harnesses, which need no data after a power cut. */
export function printSettings(list: readonly Setting[], overrides: Readonly<Record<string, string>>): string {
  const extra = Object.entries(overrides).filter(([name]) => !list.some(([known]) => known === name))
  const all: readonly Setting[] = [
    ...list,
    ...extra.map(([name, value]) => [name, value, 'Override.'] as const),
  ]
  return all
    .map(([name, value, reason]) => `# ${reason}\n${name} = ${quote(overrides[name] ?? value)}\n`)
    .join('\n')
}

const quote = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
