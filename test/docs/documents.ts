import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { parseSync, Visitor } from "oxc-parser"

const root = join(import.meta.dirname, "../..")

/** Whether a path is there: below the repository or, of a file, below any of its folders (`http/route.ts`). */
export const isThere = (path: string): boolean =>
  files.has(path) || folders.has(path.replace(/\/$/, "")) || (isFile.test(path) && ends.has(path))

const files = new Set<string>(
  [".", ".ci", ".github", "console", "deploy", "docs", "examples", "package", "src", "test"].flatMap((folder) =>
    [...new Glob(folder === "." ? "*" : "**/*").scanSync({ cwd: join(root, folder), dot: true, onlyFiles: true })].map(
      (file) => (folder === "." ? file : `${folder}/${file}`)
    )
  )
)
const stepsOf = (file: string) => file.split("/")
const folders = new Set(
  [...files].flatMap((file) => stepsOf(file).map((_, index, steps) => steps.slice(0, index).join("/")))
)
const ends = new Set([...files].flatMap((file) => stepsOf(file).map((_, index, steps) => steps.slice(index).join("/"))))
const isFile = /\.(?:tsx?|md|sql|svg)$/

export const read = (path: string): Promise<string> => Bun.file(join(root, path)).text()

/** A version's changes in full, each on its line. CHANGELOG.md has what to do about them. */
export const changes: ReadonlyArray<string> = readdirSync(join(root, "docs/changes")).map(
  (name) => `docs/changes/${name}`
)

/** The pages for people: those at the root, in `docs/` and in `docs/changes/`. */
export const documents: ReadonlyArray<string> = [
  ...readdirSync(root),
  ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
  ...changes
].filter((name) => name.endsWith(".md"))

/** What a page calls a path of the repository: in code spans, and the targets of its links without their anchors. */
export const pathsIn = (page: string, text: string): ReadonlyArray<string> => [
  ...[...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = ""]) => pathOf(code) ?? []),
  ...[...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) => targetOf(page, link) ?? [])
]

const pathOf = (code: string): string | undefined => {
  const [path = ""] = /^[\w./-]+/.exec(code) ?? []
  const isWhole = path === code || code.startsWith(`${path}:`)
  return isWhole && (/^(?:src|test|docs|examples|\.ci)\//.test(path) || /^[^/].*\.ts$/.test(path)) ? path : undefined
}

const targetOf = (page: string, link: string): string | undefined => {
  if (/^[a-z]+:/.test(link)) return undefined
  const [path = ""] = link.split("#")
  if (path === "") return page
  return page.includes("/") ? join(page, "..", path) : path
}

/** `file#anchor` of each link that has an anchor. */
export const anchorsIn = (page: string, text: string): ReadonlyArray<readonly [file: string, anchor: string]> =>
  [...text.matchAll(/\]\(([^)\s]*)#([^)\s]+)\)/g)].flatMap(([, file = "", anchor = ""]) => {
    const target = targetOf(page, `${file}#${anchor}`)
    return target === undefined ? [] : [[target, anchor] as const]
  })

/** `docs/x.md#anchor` as comments in the source say it. */
export const anchorsInSource = (text: string): ReadonlyArray<readonly [file: string, anchor: string]> =>
  [...text.matchAll(/\b(docs\/[\w-]+\.md)#([\w-]+)/g)].map(([, file = "", anchor = ""]) => [file, anchor] as const)

/** Pages that comments in the source point to. */
export const pagesInSource = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\bdocs\/[\w-]+\.md\b/g)].map(([page]) => page)

/** The anchors of a page, as GitHub makes them of its headings. */
export const headingsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replaceAll(" ", "-")
    )
  )

/** `file.ts:name` as the walks write their stations. */
export const stationsIn = (text: string): ReadonlyArray<readonly [file: string, name: string]> =>
  [...text.matchAll(/`((?:src|test)\/[\w./-]+\.ts):([\w$.]+)`/g)].map(
    ([, file = "", name = ""]) => [file, name] as const
  )

/** What a source file names itself: functions, classes, methods, values and the members of its objects. */
export const namesIn = (file: string, source: string): ReadonlySet<string> => {
  const names = new Set<string>()
  const see = (node: { readonly type: string } | null) => {
    if (node !== null && "name" in node && typeof node.name === "string") names.add(node.name)
  }
  new Visitor({
    FunctionDeclaration: ({ id }) => see(id),
    ClassDeclaration: ({ id }) => see(id),
    VariableDeclarator: ({ id }) => see(id),
    MethodDefinition: ({ key }) => see(key),
    PropertyDefinition: ({ key }) => see(key),
    Property: ({ key }) => see(key)
  }).visit(parseSync(file, source).program)
  return names
}
