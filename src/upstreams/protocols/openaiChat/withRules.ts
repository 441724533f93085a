import type { Provider } from "./Provider.ts"

/** A server's row as it is written. */
export type Row = Omit<Provider, "hasRules">

/** A row that says whether a request may need a change to fit, so that others cost nothing. */
export const withRules = (row: Row): Provider => ({ ...row, hasRules: !row.isOwn && needsRules(row) })

const needsRules = (row: Row): boolean =>
  row.refuses.size > 0 ||
  row.models.length > 0 ||
  row.format !== "schema" ||
  !row.formatsBesideTools ||
  row.knowsEfforts ||
  !row.forcesWhileThinking ||
  row.thinksByDefault ||
  row.seed !== "seed" ||
  row.strictTurns ||
  row.systemFirst ||
  row.alternates ||
  !row.userAfterTool

/** Members of an answer's message that clients send back with it, `null` where they are empty, and strict servers refuse. */
export const ofAnswers = [
  "annotations",
  "audio",
  "images",
  "parsed",
  "reasoning_content",
  "reasoning_details",
  "refusal"
] as const
