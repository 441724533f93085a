import { dirname, join, normalize } from "node:path"
import { Glob } from "bun"
import { parseSync, Visitor } from "oxc-parser"

/** Source texts by their paths below the folder. */
export type Sources = ReadonlyMap<string, string>

export const readSources = async (folder: string): Promise<Map<string, string>> => {
  const sources = new Map<string, string>()
  for await (const file of new Glob("**/*.{ts,tsx}").scan(folder))
    sources.set(file, await Bun.file(join(folder, file)).text())
  return sources
}

/** The server's sources and the console's, by their paths from `src`. */
export const readAll = async (root: string): Promise<Map<string, string>> => {
  const page = await readSources(join(root, "console"))
  return new Map([
    ...(await readSources(join(root, "src"))),
    ...[...page].map(([file, text]) => [`../console/${file}`, text] as const)
  ])
}

/** The files that a file imports, re-exports or takes types from, however it does; not the packages. */
export const importsOf = (file: string, source: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const see = (specifier: string) => {
    if (specifier.startsWith(".")) found.push(normalize(join(dirname(file), specifier)).replace("../src/", ""))
  }
  const { errors, program } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join("; ")}`)
  new Visitor({
    ImportDeclaration: ({ source }) => see(source.value),
    ExportAllDeclaration: ({ source }) => see(source.value),
    ExportNamedDeclaration: ({ source }) => see(source?.value ?? ""),
    ImportExpression: ({ source }) => {
      if (source.type === "Literal" && typeof source.value === "string") see(source.value)
    },
    TSImportType: ({ source }) => see(source.value)
  }).visit(program)
  return found
}

/** The files that each file imports. */
export type Imports = ReadonlyMap<string, ReadonlyArray<string>>

export const importsOfAll = (sources: Sources): Imports =>
  new Map([...sources].map(([file, source]) => [file, importsOf(file, source)]))

/**
 * What is wrong with the sources' imports, a line each: a room imports one that its row of the table does not name, has
 * no row, or its row names a room that is not above it; files import each other in a circle.
 */
export const complaints = (
  imports: Imports,
  rooms: Readonly<Record<string, ReadonlyArray<string>>>
): ReadonlyArray<string> => {
  const used = new Set([...imports.keys()].map((file) => roomOf(file, rooms)))
  return [
    ...unordered(rooms),
    ...Object.keys(rooms)
      .filter((room) => !used.has(room))
      .map((room) => `${room}: a row of the table without a room`),
    ...[...used]
      .filter((room) => rooms[room] === undefined)
      .map((room) => `${room}: a room without a row in the table`),
    ...[...imports].flatMap(([file, imported]) => imported.flatMap((one) => crossing(file, one, rooms))),
    ...circles(imports)
  ]
}

const unordered = (rooms: Readonly<Record<string, ReadonlyArray<string>>>): ReadonlyArray<string> => {
  const names = Object.keys(rooms)
  return names.flatMap((room, at) =>
    (rooms[room] ?? [])
      .filter((other) => !names.slice(0, at).includes(other))
      .map((other) => `${room} → ${other}: the table may only name rooms above`)
  )
}

/** The deepest of the folders with a row that the file lies in; else the first, which has none. */
const roomOf = (file: string, rooms: Readonly<Record<string, ReadonlyArray<string>>>): string => {
  const steps = file.split("/")
  for (let depth = steps.length; depth > 0; depth--) {
    const room = steps.slice(0, depth).join("/")
    if (rooms[room] !== undefined) return room
  }
  return steps[0] ?? file
}

const crossing = (
  file: string,
  imported: string,
  rooms: Readonly<Record<string, ReadonlyArray<string>>>
): ReadonlyArray<string> => {
  if (imported === "../package.json") return []
  const [room, other] = [roomOf(file, rooms), roomOf(imported, rooms)]
  const allowed = rooms[room]
  return room === other || allowed === undefined || allowed.includes(other)
    ? []
    : [`${file} imports ${imported}: ${room} may not import ${other}`]
}

/** One circle for each file that closes one, as the files in their order. */
const circles = (imports: Imports): ReadonlyArray<string> => {
  const found: Array<string> = []
  const path: Array<string> = []
  const seen = new Set<string>()
  const walk = (file: string) => {
    const since = path.indexOf(file)
    if (since !== -1) found.push(`a circle: ${[...path.slice(since), file].join(" → ")}`)
    if (seen.has(file)) return
    seen.add(file)
    path.push(file)
    for (const next of imports.get(file) ?? []) walk(next)
    path.pop()
  }
  for (const file of imports.keys()) walk(file)
  return found
}

/** The files that make and follow futures: work under way that plain calls wait for. */
const futures = ["Future", "PendingFuture", "allFutures", "runFuture", "toEffect"].map((name) => `flow/${name}.ts`)

/** The imports of a future by rooms that do not follow work under way: there it is an effect. */
export const strayFutures = (imports: Imports, allowed: ReadonlySet<string>): ReadonlyArray<string> =>
  [...imports].flatMap(([file, imported]) => {
    const [room = file] = file.split("/")
    if (allowed.has(room) || allowed.has(file)) return []
    return imported
      .filter((one) => futures.includes(one))
      .map((one) => `${file} imports ${one}: ${room} may not follow work under way`)
  })
