/** Hosting prefixes: `models/…` at Google, `vendor/…` at routers, `us.anthropic.…-v1:0` at Bedrock. */
const place = /^(?:models\/|[\w.-]{1,64}\/|(?:[a-z]{2,6}\.)?(?:anthropic|amazon|meta|mistral|deepseek|openai|qwen)\.)/
const revision = /-v\d{1,3}:\d{1,3}$/
/** The suffix of a snapshot: `-20250929`, `-2025-08-07`, `@20250929`, `-260128` or `-latest`. */
const snapshot = /(?:[-@]\d{8}|-\d{4}-\d\d-\d\d|-2\d[01]\d[0-3]\d|-latest)$/

/**
 * The names under which a model's price may be listed, nearest first: an unlisted snapshot costs as much as its model.
 */
export const namesOf = (id: string): ReadonlySet<string> => {
  const plain = id.replace(place, "").replace(revision, "")
  return new Set([id, id.replace(snapshot, ""), plain, plain.replace(snapshot, "")])
}
