import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Option, Schema } from "effect"

/** A package that the gateway is made of. */
export interface Licensed {
  readonly name: string
  readonly version: string
  /** As its `package.json` says it (SPDX). */
  readonly license: string
  readonly text: string | undefined
}

const packages = Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String }))

const Manifest = Schema.parseJson(
  Schema.Struct({
    name: Schema.optional(Schema.String),
    version: Schema.optional(Schema.String),
    license: Schema.optional(Schema.Union(Schema.String, Schema.Struct({ type: Schema.String }))),
    dependencies: packages,
    peerDependencies: packages
  })
)
const decode = Schema.decodeUnknownOption(Manifest)

const manifestIn = (folder: string) => {
  const path = join(folder, "package.json")
  return existsSync(path) ? Option.getOrUndefined(decode(readFileSync(path, "utf8"))) : undefined
}

/** Reads the licences of all that the gateway depends on, by name, from where its packages are installed. */
export const collectLicenses = (from = import.meta.dirname): ReadonlyArray<Licensed> => {
  const root = rootAbove(from)
  if (root === undefined) return []
  const found = new Map<string, Licensed>()
  const visit = (folder: string, names: ReadonlyArray<string>): void => {
    for (const name of names) {
      const place = installed(folder, name)
      const manifest = place === undefined ? undefined : manifestIn(place)
      if (place === undefined || manifest === undefined) continue
      const { dependencies = {}, license, version = "" } = manifest
      const id = `${name}@${version}`
      if (found.has(id)) continue
      const spoken = typeof license === "string" ? license : (license?.type ?? "see its text")
      found.set(id, { name, version, license: spoken, text: textIn(place) })
      visit(place, Object.keys(dependencies))
    }
  }
  const { dependencies = {}, peerDependencies = {} } = manifestIn(root) ?? {}
  visit(root, Object.keys({ ...dependencies, ...peerDependencies }))
  return [...found.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** The folder of the package that says what it depends on. */
const rootAbove = (folder: string): string | undefined => {
  if (manifestIn(folder)?.dependencies !== undefined) return folder
  const above = dirname(folder)
  return above === folder ? undefined : rootAbove(above)
}

const installed = (folder: string, name: string): string | undefined => {
  const place = join(folder, "node_modules", name)
  if (existsSync(place)) return place
  const above = dirname(folder)
  return above === folder ? undefined : installed(above, name)
}

const textIn = (folder: string): string | undefined => {
  const name = readdirSync(folder).find((file) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(file))
  return name === undefined ? undefined : readFileSync(join(folder, name), "utf8").trim()
}
