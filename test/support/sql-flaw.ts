/**
 * Returns a statement that replaces `from` by `to` in a function of the database. The statement fails unless the function contains
 * `from` exactly once, so that every flaw takes effect.
 */
export function replacing(name: string, from: string, to: string): string {
  const quoted = (text: string) => `$flaw$${text}$flaw$`;
  return `DO $do$ DECLARE
      v_text text := pg_get_functiondef('${name}'::regproc);
      v_count integer := (length(v_text) - length(replace(v_text, ${quoted(from)}, ''))) / length(${quoted(from)});
    BEGIN
      IF v_count <> 1 THEN RAISE EXCEPTION '% has this % times: %', '${name}', v_count, ${quoted(from)}; END IF;
      EXECUTE replace(v_text, ${quoted(from)}, ${quoted(to)});
    END $do$`;
}
