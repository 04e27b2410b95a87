/** Statements of migrations. Every change of the table makes the managers forget the rights that they remember. */
export const tellAccessChanges = (table: string): string =>
  `create trigger tell_access_changes after insert or update or delete on ${table} for each row
    execute function tutti_access_changed()`

/** For a table whose rows can be global: managers remember which tenants have any. */
export const tellGlobalChanges = (table: string): readonly string[] => [
  `create trigger tell_new_global after insert on ${table} for each row
    when (new.visibility = 'global') execute function tutti_access_changed()`,
  `create trigger tell_changed_global after update of visibility on ${table} for each row
    when (old.visibility is distinct from new.visibility) execute function tutti_access_changed()`,
  `create trigger tell_gone_global after delete on ${table} for each row
    when (old.visibility = 'global') execute function tutti_access_changed()`,
]
