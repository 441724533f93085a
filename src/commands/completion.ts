import { Args, Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { candidates } from "./completing/candidates.ts"
import { scripts } from "./completing/scripts.ts"
import type { Entry } from "./frame/Entry.ts"
import { leaf } from "./frame/leaf.ts"
import { help } from "./options.ts"

const shell = Args.choice(
  [
    ["bash", "bash"],
    ["zsh", "zsh"],
    ["fish", "fish"]
  ] as const,
  { name: "shell" }
).pipe(Args.withDescription("bash, zsh or fish."))

const print = Command.make("completion", { shell }, ({ shell }) => Console.log(scripts[shell])).pipe(
  Command.withDescription(
    help(
      "Print a script that completes commands, options, and the names of keys and accounts.",
      'eval "$(gateway completion bash)"',
      "gateway completion zsh > ~/.zsh/completions/_gateway",
      "gateway completion fish > ~/.config/fish/completions/gateway.fish"
    )
  )
)

export const completionCommand = leaf(print)

/** The hidden command `complete`, called by the scripts: completes the last word. Reports no errors. */
export const completeOf = (entries: ReadonlyArray<Entry>) => (words: ReadonlyArray<string>) =>
  Effect.flatMap(candidates(entries, words), (candidateList) =>
    Effect.forEach(candidateList, ({ about, word }) => Console.log(about === "" ? word : `${word}\t${about}`), {
      discard: true
    })
  )
