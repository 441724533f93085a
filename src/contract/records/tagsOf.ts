const mostTags = 10
/** The most characters of a tag, or of a table's cell. */
export const longestTag = 64
/** Metadata fields that are read for tags. */
const mostLooks = 50

/** The header's tags, then those of the body's metadata. */
export const tagsOf = (header: string | null, metadata: Readonly<Record<string, unknown>> | undefined) => {
  const tags: Array<string> = []
  const add = (tag: string) => {
    const one = tag.trim()
    if (one !== "" && tags.length < mostTags) tags.push(one.slice(0, longestTag))
  }
  if (header !== null) for (const tag of header.slice(0, mostTags * (longestTag + 2)).split(",")) add(tag)
  let looks = 0
  for (const name in metadata) {
    if (tags.length >= mostTags || ++looks > mostLooks) break
    const value = metadata[name]
    if (typeof value === "string" && name !== "user_id")
      add(`${name.slice(0, longestTag)}=${value.slice(0, longestTag)}`)
  }
  return tags
}
