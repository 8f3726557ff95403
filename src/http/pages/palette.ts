/** The colours of all pages, in daylight and in the dark. */
export const palette = `
:root{color-scheme:light dark;--ground:#f5f3ee;--panel:#fff;--ink:#1d1c1a;--soft:#5f5b54;--line:#dcd7cd;--accent:#0b5f52;--on-accent:#fff;--tint:#e3f1ed;--note:#6b4a00;--note-tint:#fbefcf;--one:#0b5f52;--two:#3765bd;--three:#b35c14;--four:#84439f;--rest:#77726a}
@media(prefers-color-scheme:dark){:root{--ground:#151513;--panel:#1f1e1c;--ink:#efece5;--soft:#aca79c;--line:#35332f;--accent:#7fd6c2;--on-accent:#07251f;--tint:#16312b;--note:#f3d58a;--note-tint:#33290f;--one:#7fd6c2;--two:#8fb2f3;--three:#f0ad6d;--four:#d0a2ec;--rest:#8f8a80}}`;
