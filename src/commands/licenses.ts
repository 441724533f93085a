import { Command, Options } from "@effect/cli"
import { Console, Effect } from "effect"
import { leaf } from "./frame/leaf.ts"
import { help, json, print } from "./options.ts"
import { collectLicenses } from "./collectLicenses.ts"
import type { Licensed } from "./collectLicenses.ts"
import { table } from "./table.ts"

const texts = Options.boolean("texts").pipe(Options.withDescription("Print the full texts."))

/** The list embedded in the binary; without one, read from `node_modules`. */
const dependencies = Effect.promise(async (): Promise<ReadonlyArray<Licensed>> => {
  const embedded = Bun.embeddedFiles.find((file) => "name" in file && String(file.name).includes("licenses.pack"))
  if (embedded === undefined) return collectLicenses()
  const all: ReadonlyArray<Licensed> = JSON.parse(await embedded.text())
  return all
})

const licenses = Command.make("licenses", { json, texts }, ({ json, texts }) =>
  Effect.gen(function* () {
    const all = yield* dependencies
    if (texts && !json) {
      for (const { license, name, text, version } of all) {
        yield* Console.log(
          `${name} ${version}: ${license}\n\n${text ?? "(no text in the package)"}\n\n${"-".repeat(80)}\n`
        )
      }
      return yield* Console.log(runtime)
    }
    yield* print(json, all, () =>
      [
        table(
          ["PACKAGE", "VERSION", "LICENCE"],
          all.map(({ license, name, version }) => [name, version, license])
        ),
        "",
        runtime
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    help("Print the licences of this program's dependencies.", "gateway licenses", "gateway licenses --texts")
  )
)

export const licensesCommand = leaf(licenses)

const runtime = `It runs on Bun ${Bun.version} (MIT), which contains JavaScriptCore (LGPL-2) and others: https://bun.com/docs/project/licensing`
