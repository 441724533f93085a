export const copy = {
  button: "Copy",
  link: "Copy link",
  curl: "Copy as curl",
  it: (what: string) => `Copy ${what}`,
  done: (what: string) => `Copied ${what}`,
  secret: "the secret",
  characters: (count: number) => `${count} characters`,
  refused: "The browser does not let this page copy"
}

export const dialog = { cancel: "Cancel", close: "Close", done: "Done", keep: "Keep it" }

export const drawer = { before: "Previous (k)", next: "Next (j)", close: "Close (Esc)" }

export const fields = {
  whole: (name: string) => `${name}: a whole number of 1 or more, or nothing.`,
  dollars: (name: string) => `${name}: an amount in dollars such as 12.50, at most nine decimals.`,
  noLimit: "no limit"
}

export const chart = {
  asTable: "Show as table",
  asChart: "Show as chart",
  time: "UTC",
  label: (title: string, now: string) => `${title}. Now: ${now}. Left and right arrow move the cursor.`
}

export const histogram = {
  well: "finished",
  refused: "refused",
  failed: "failed",
  caption: "Requests over the range by how they ended",
  label: "Requests over the range. Drag to zoom; or arrows to move, with Shift to select, and Enter to zoom.",
  range: (from: string, to: string) => `${from} – ${to}: Enter zooms`,
  bucket: (at: string, well: number, refused: number, failed: number) =>
    `${at}  ${well} finished, ${refused} refused, ${failed} failed`
}

export const waterfall = {
  again: "again",
  pause: "paused",
  slot: "for a slot",
  first: "to first byte",
  answer: "answer",
  bad: "failed"
}

export const noMatch = {
  title: "Nothing matches",
  clear: "Clear filters"
}

export const failed = {
  start: "The console can't start",
  title: (what: string) => `${what} can’t be shown`,
  answered: "The gateway answered ",
  after: (took: string) => ` after ${took}.`,
  noAnswer: "The gateway does not answer. Is it running, and can this browser reach it?",
  broken: "The response could not be read: ",
  goesOn: "Client requests are not affected.",
  again: "Try again",
  tries: (tries: number, seconds: number) =>
    `Tried ${tries === 1 ? "once" : `${tries} times`}; tries again by itself in ${seconds} s.`,
  request: "Request",
  unknown: "That did not work. The gateway’s log has the reason."
}

export const stale = {
  title: "Another user has changed this meanwhile.",
  stored: "Stored now:",
  yours: "Yours:",
  choose: "Choose which values to keep, then save again.",
  same: "The stored values equal yours."
}
