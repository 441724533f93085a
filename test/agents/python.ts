import { pixel } from "../upstreams/conversations.ts"
import { dialects } from "../upstreams/fakes/fakeUpstream.ts"
import type { World } from "../e2e/upstreams/world.ts"
import { models, protocols, startWorld, usualYaml } from "../e2e/upstreams/world.ts"
import type { ProgramName } from "./programs.ts"
import { makeFolder, runProgram } from "./run.ts"

/** Libraries of PyPI that speak chat completions: each is a script of scenarios, run against each model. */
export const libraries = ["openai", "instructor", "pydantic-ai", "litellm"] as const
export type Library = (typeof libraries)[number]

export const isLibrary = (name: ProgramName): name is Library => libraries.some((library) => library === name)

export interface Result {
  readonly name: string
  /** What is wrong; undefined where it went well. */
  readonly wrong: string | undefined
}

/** How many scenarios each has; one that is not reported has failed. */
const count: Readonly<Record<Library, number>> = { openai: 13, instructor: 8, "pydantic-ai": 9, litellm: 10 }

/** A gateway with a fake upstream of each protocol, some of whose models are left alone once they were refused. */
export const startChatWorld = (): Promise<World> =>
  startWorld({
    yaml: (urls) => {
      const { models: usual, upstreams } = JSON.parse(usualYaml(urls))
      const more = protocols.flatMap((protocol) => [
        [`limited-${protocol}`, { routes: [{ upstream: `up-${protocol}`, model: "limited" }] }],
        [`failing-${protocol}`, { routes: [{ upstream: `failing-${protocol}`, model: "failing" }] }]
      ])
      const failing = protocols.map((protocol) => [`failing-${protocol}`, upstreams[`up-${protocol}`]])
      return JSON.stringify({
        upstreams: { ...upstreams, ...Object.fromEntries(failing) },
        models: { ...usual, ...Object.fromEntries(more) }
      })
    }
  })

/** One library's scenarios, with the sandbox and with a model behind each protocol. */
export async function* runLibrary(library: Library, world: World): AsyncGenerator<Result> {
  yield* runScript(library, world, "sandbox-text", ["sandbox-text", "sandbox-text"])
  for (const protocol of protocols) {
    const before = world.fakes[protocol].asked.length
    yield* runScript(library, world, models[protocol], [`limited-${protocol}`, `failing-${protocol}`])
    const asked = world.fakes[protocol].asked.slice(before)
    const isShown = asked.some(({ body }) => JSON.stringify(body).includes(pixel))
    const name = `${models[protocol]}: the image came to ${dialects[protocol].path} of its upstream`
    yield { name, wrong: isShown ? undefined : "it did not" }
  }
}

async function* runScript(
  library: Library,
  { gateway }: World,
  model: string,
  others: ReadonlyArray<string>
): AsyncGenerator<Result> {
  const folder = makeFolder()
  try {
    const env = { GATEWAY_URL: gateway.url, GATEWAY_KEY: gateway.key, PIXEL: pixel, PYTHONDONTWRITEBYTECODE: "1" }
    const { code, output } = await runProgram(library, { folder, args: [model, ...others], env })
    const results = [...output.matchAll(/^\[\[(\{.*\})\]\]$/gm)].map(
      ([, line = ""]) => JSON.parse(line) as { name: string; wrong: string | null }
    )
    for (const { name, wrong } of results) yield { name: `${model}: ${name}`, wrong: wrong ?? undefined }
    if (code !== 0 || results.length !== count[library]) {
      const wrong = `ended with ${code} after ${results.length} of ${count[library]}: ${output.slice(-600)}`
      yield { name: `${model}: all scenarios`, wrong }
    }
  } finally {
    folder.dispose()
  }
}
