/** What is generated of a page stands between `<!-- name -->` and `<!-- /name -->`; the rest is written by hand. */
const block = (name: string) => new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`)

/** The page with its blocks as they are now. */
export const withBlocks = (page: string, blocks: Readonly<Record<string, string>>): string => {
  let text = page
  for (const [name, written] of Object.entries(blocks)) {
    if (!block(name).test(text)) throw new Error(`the page has no <!-- ${name} --> and <!-- /${name} -->`)
    text = text.replace(block(name), (_, begin: string, end: string) => `${begin}\n${written}\n\n${end}`)
  }
  return text
}
