import { existsSync, writeFileSync } from "node:fs"
import { Command, Options, Prompt } from "@effect/cli"
import { Console, Effect, Logger, LogLevel, Option } from "effect"
import type { Either } from "effect"
import * as ApiKey from "../access/ApiKey.ts"
import { opensAlone } from "../config/providers/opensAlone.ts"
import { providerRow, rowNames } from "../config/providers/providers.ts"
import { readGatewayText } from "../config/source.ts"
import type { ServedRoute } from "../catalogue/Catalogue.ts"
import { Conflict, InvalidRequest } from "../contract/failures/Failure.ts"
import { unpriced as unpricedPrice } from "../ledger/Price.ts"
import { leaf } from "./frame/leaf.ts"
import { balanceOf, callersOf, pricesOf, providersOf } from "./init/answers.ts"
import { fileOf, variablesOf } from "./init/written.ts"
import { help } from "./options.ts"

const [settings, secrets] = ["gateway.yaml", "gateway.env"]

const answer = (name: string, value: string, description: string) =>
  Options.text(name).pipe(Options.withPseudoName(value), Options.withDescription(description), Options.optional)

interface Question {
  readonly flag: string
  readonly message: string
  readonly usual: string
  /** The answer without a terminal; undefined if the flag is needed then. */
  readonly unasked?: string
}

/** The flag's value, otherwise the answer typed at the terminal. */
const answerTo = <A>(
  given: Option.Option<string>,
  { flag, message, unasked, usual }: Question,
  read: (text: string) => Either.Either<A, InvalidRequest>
) =>
  Effect.gen(function* () {
    if (Option.isSome(given)) return yield* read(given.value)
    if (!process.stdin.isTTY) {
      if (unasked !== undefined) return yield* read(unasked)
      return yield* new InvalidRequest({
        param: flag,
        message: `--${flag}: expected, since standard input is no terminal`
      })
    }
    const validated = (text: string) =>
      Effect.as(
        Effect.mapError(read(text), ({ message }) => message.replace(/^--\w+: /, "")),
        text
      )
    const terminal = yield* Effect.promise(() => import("@effect/platform-bun/BunTerminal"))
    const text = yield* Prompt.run(Prompt.text({ message, default: usual, validate: validated })).pipe(
      Effect.provide(terminal.layer),
      Effect.catchTag("QuitException", () => new InvalidRequest({ param: flag, message: "nothing was written" }))
    )
    return yield* read(text)
  })

const init = Command.make(
  "init",
  {
    providers: answer(
      "providers",
      "LIST",
      `Names, such as anthropic,openai,bedrock (\`gateway providers\` lists them), and addresses of servers; none: the sandbox alone.`
    ),
    spend: answer("spend", "USD", "The budget of each caller, in dollars; none: unlimited."),
    callers: answer("callers", "NAMES", "A name for each caller's key, separated with commas."),
    prices: answer("prices", "WHICH", "`daily`: fetch the public prices every day (daily); `built-in`: do not.")
  },
  ({ callers, prices, providers, spend }) =>
    Effect.gen(function* () {
      for (const file of [settings, secrets]) {
        if (existsSync(file)) {
          return yield* new Conflict({ code: null, message: `${file} already exists; nothing was written` })
        }
      }
      const answers = {
        providers: yield* answerTo(
          providers,
          {
            flag: "providers",
            message: "Which providers? (anthropic, openai, gemini, bedrock, … as in `gateway providers`, or addresses)",
            usual: providersThere()
          },
          (text) => providersOf(text === "none" ? "" : text)
        ),
        balanceUsd: yield* answerTo(
          spend,
          { flag: "spend", message: "What may each caller spend, in dollars?", usual: "none" },
          balanceOf
        ),
        callers: yield* answerTo(
          callers,
          { flag: "callers", message: "Who calls? (a name for each key)", usual: "me" },
          callersOf
        ),
        refreshesPrices: yield* answerTo(
          prices,
          {
            flag: "prices",
            message: "Fetch the public prices every day? (daily, built-in)",
            usual: "daily",
            unasked: "daily"
          },
          pricesOf
        )
      }
      const made = answers.callers.map(({ variable }) => [variable, ApiKey.generate()] as const)
      const variables = variablesOf(answers, process.env)
      const empty = variables.filter((name) => (process.env[name] ?? "") === "")
      // Missing variables get a dummy value while the file is validated.
      const env = { ...process.env, ...Object.fromEntries([...empty.map((name) => [name, "unset"] as const), ...made]) }
      const { servedBy } = yield* Effect.promise(() => import("../admin/readThrough.ts"))
      const { ownModels } = yield* Effect.promise(() => import("./ownModels.ts"))
      const written = (without: ReadonlySet<string>) =>
        Effect.gen(function* () {
          const text = fileOf(answers, process.env, without)
          const file = yield* readGatewayText(settings, text, { env })
          return { text, file, models: yield* servedBy(file, ownModels) }
        })
      // Its warning is of the models that are left out then.
      const all = yield* Logger.withMinimumLogLevel(written(new Set()), LogLevel.Error)
      const unpriced = [...all.models.values()].filter(({ routes }) => routes.every(isRefused)).map(({ id }) => id)
      const { file, models, text } = yield* written(new Set(unpriced))
      yield* Effect.sync(() => {
        writeFileSync(settings, text, { flag: "wx" })
        writeFileSync(secrets, secretsText(empty, made), { flag: "wx", mode: 0o600 })
      })
      yield* Console.log(
        `Wrote ${settings}: ${models.size} models, ${made.length} ${made.length === 1 ? "key" : "keys"}.`
      )
      yield* Console.log(`Wrote ${secrets}, with the secrets that it names: keep it private.`)
      yield* Console.log(nextSteps(empty))
      if (empty.length > 0) return
      const { checkLive } = yield* Effect.promise(() => import("./live/checkLive.ts"))
      yield* checkLive(file, models, false)
    })
).pipe(
  Command.withDescription(
    help(
      "Write a gateway.yaml from four answers: providers, budget, callers, prices. Asks for those that no option gives. If every provider's key is in the environment, it also calls the providers (`gateway check --live`).",
      "gateway init",
      "gateway init --providers anthropic,openai --spend 20 --callers laptop,ci"
    )
  )
)

export const initCommand = leaf(init)

/** True for a route that callers with a balance may not use. */
const isRefused = (route: ServedRoute): boolean => route.price === unpricedPrice && route.unpriced !== "allow"

/** Providers whose keys are in the environment: those that mean nothing but models. */
const providersThere = (): string => {
  const there = rowNames.filter((name) => {
    const row = providerRow(name)
    return opensAlone(row) && (process.env[row.variable ?? ""] ?? "") !== ""
  })
  return there.length === 0 ? "none" : there.join(", ")
}

const secretsText = (empty: ReadonlyArray<string>, made: ReadonlyArray<readonly [string, string]>): string =>
  [
    "# Variables of gateway.yaml, which `gateway serve` and all commands read from here. The environment wins.",
    ...empty.map((name) => `${name}=`),
    ...made.map(([name, secret]) => `${name}=${secret}`),
    ""
  ].join("\n")

const nextSteps = (empty: ReadonlyArray<string>): string =>
  [
    "",
    "Next:",
    "",
    ...empty.map((name) => `  put ${name} into ${secrets}`),
    ...(empty.length === 0 ? [] : ["  gateway check --live"]),
    "  gateway serve"
  ].join("\n")
