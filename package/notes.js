/*
 * Release notes: what CHANGELOG.md says of a version, which has to be that of package.json and to have a day. `node package/notes.js 0.2.0`.
 */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const root = dirname(import.meta.dirname)
const [version = ""] = process.argv.slice(2)

const fail = (message) => {
  console.error(`notes: ${message}`)
  process.exit(1)
}

const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version
if (version !== own) fail(`package.json says ${own}, not "${version}"`)

const sections = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^## /m)
const section = sections.find((one) => one.startsWith(`${version} `) || one.startsWith(`${version}\n`))
if (section === undefined) fail(`CHANGELOG.md has no section "## ${version}"`)
if (section.startsWith(`${version} – unreleased`)) fail(`CHANGELOG.md calls ${version} unreleased: give it its day`)
console.log(section.slice(section.indexOf("\n")).trim())
