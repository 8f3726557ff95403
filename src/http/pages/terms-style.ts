/** The style of a list of terms, `dl.terms`: a line for each, with its name before it. An id is in `.id`. */
export const style =
  '.terms{margin:1rem 0;border-bottom:1px solid var(--line)}.terms div{display:flex;gap:1.5rem;justify-content:space-between;padding-block:.6rem;border-top:1px solid var(--line)}.terms dt{color:var(--soft);flex:none;max-width:45%}.terms dd{margin:0;text-align:end;text-wrap:balance;overflow-wrap:anywhere}.terms .id{font:.8125rem/1.9 ui-monospace,"SF Mono",Menlo,Consolas,monospace}';
