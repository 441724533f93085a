import { agents } from "./agents.ts"
import { cells } from "./cells.ts"
import type { Cell } from "./cells.ts"
import { results } from "./results.ts"
import type { Result } from "./results.ts"

const shown = (result: Result | undefined): string => {
  if (result === undefined) return "–"
  const { compactions, files, isEnded, marks, refusals, turns } = result
  return [
    `${isEnded && refusals === 0 ? "✓" : "✗"} ${turns}`,
    ...(refusals === 0 ? [] : [`${refusals} refused`]),
    ...(files === "" ? [] : [files]),
    ...(marks === null ? [] : [`marks ${marks}`]),
    ...(compactions === 0 ? [] : ["compacted"])
  ].join(", ")
}

const tableOf = (names: ReadonlyArray<string>): string => {
  const all = results()
  const packageOf = (name: string) => all.find(({ agent }) => agent === name)?.package ?? "not run"
  const packages = Map.groupBy(names, packageOf)
  const found = (name: string, { context, model, place }: Cell) =>
    all.find((one) => one.agent === name && one.place === place && one.model === model && one.context === context)
  return [
    `| place, model | ${names.map((name) => `\`${name}\``).join(" | ")} |`,
    `|---|${names.map(() => "---|").join("")}`,
    ...cells
      .filter((cell) => names.some((name) => found(name, cell) !== undefined))
      .map((cell) => {
        const bound = cell.context === undefined ? "" : `, bound to ${cell.context} tokens by the gateway`
        return `| ${cell.place}, \`${cell.model}\`${bound} | ${names.map((name) => shown(found(name, cell))).join(" | ")} |`
      }),
    "",
    `${[...packages].map(([version, of]) => `${of.map((name) => `\`${name}\``).join(", ")}: ${version}`).join(" · ")}.`
  ].join("\n")
}

/** Each program at each place, as the last runs found it: coding agents, and loops by client libraries. */
export const agentsTable = (): string => {
  const ran = new Set(results().map(({ agent }) => agent))
  const names = Object.keys(agents)
  const isLibrary = (name: string) => agents[name]?.program.endsWith("-loop") === true
  const not = names.filter((name) => !ran.has(name)).map((name) => `\`${name}\``)
  return [
    ...[false, true]
      .map((library) => names.filter((name) => ran.has(name) && isLibrary(name) === library))
      .filter((some) => some.length > 0)
      .map(tableOf),
    ...(not.length === 0 ? [] : [`Not run yet: ${not.join(", ")}.`])
  ].join("\n\n")
}
