/** Models of Anthropic's that share their rate limits, by the beginning of their ids. */
const groups: ReadonlyArray<RegExp> = [/^claude-opus-4(?=$|[-@.])/, /^claude-sonnet-4(?=$|[-@.])/]

/** The name of the models that share a model's rate limits; undefined if its limits are its own. */
export const limitGroup = (model: string): string | undefined => {
  for (const group of groups) {
    const found = group.exec(model)
    if (found !== null) return found[0]
  }
  return undefined
}
