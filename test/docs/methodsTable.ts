import { Record as Rec } from "effect"
import { devDependencies } from "../../package.json"
import { officialMethods } from "../sdks/methods.ts"
import type { Method } from "../sdks/methods.ts"
import { isServed } from "../sdks/served.ts"

const names = (methods: ReadonlyArray<Method>): string => methods.map(({ name }) => `\`${name}\``).join(", ") || "–"
const count = (methods: ReadonlyArray<Method>): string => `${methods.length} method${methods.length === 1 ? "" : "s"}`

/** The shortest name of a resource and what stands below it that has nothing of the served ones. */
const outside = (resource: string, served: ReadonlyArray<string>): ReadonlyArray<string> => {
  const parts = resource.split(".")
  const names = parts.map((_, index) => parts.slice(0, index + 1).join("."))
  return names.filter((name) => !served.some((one) => `${one}.`.startsWith(`${name}.`))).slice(0, 1)
}

/** One client: a row for each resource of which something is served, and the names of the others. */
const clientTable = (client: keyof typeof officialMethods, methods: ReadonlyArray<Method>): string => {
  const served = methods.filter(({ request }) => request !== undefined && isServed(request))
  const local = methods.filter(({ request }) => request === undefined)
  const refused = methods.filter((method) => !served.includes(method) && !local.includes(method))
  const byResource = Object.groupBy(refused, ({ resource }) => resource)
  const rows = Rec.collect(
    Object.groupBy(served, ({ resource }) => resource),
    (resource, own = []) => `| \`${resource}\` | ${names(own)} | ${names(byResource[resource] ?? [])} |`
  )
  const withServed = served.map(({ resource }) => resource)
  const others = new Set(Object.keys(byResource).flatMap((resource) => outside(resource, withServed)))
  return [
    `**\`${client}\` ${devDependencies[client]}**: ${count(methods)}, of which ${served.length} are served, ${refused.length} get a 404 that says so, and ${local.length} send nothing of their own.`,
    `| resource | served | 404 |\n|---|---|---|\n${rows.join("\n")}`,
    `404 with all below them: ${[...others].map((resource) => `\`${resource}\``).join(", ")}.`
  ].join("\n\n")
}

/** What the official clients' methods meet here, for docs/compatibility.md. */
export const methodsBlocks = async (): Promise<Readonly<Record<string, string>>> => ({
  methods: [
    clientTable("openai", await officialMethods.openai()),
    clientTable("@anthropic-ai/sdk", await officialMethods["@anthropic-ai/sdk"]())
  ].join("\n\n")
})
