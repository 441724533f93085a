import { Command, Options } from "@effect/cli"
import { Option } from "effect"
import { leaf } from "./frame/leaf.ts"
import { serveUntilStopped } from "./serveUntilStopped.ts"

const workers = Options.integer("workers").pipe(
  Options.filterMap(
    (count) => (count >= 1 && count <= 256 ? Option.some(count) : Option.none()),
    "--workers: expected 1 to 256"
  ),
  Options.withDescription("Processes that share the port, with Postgres (GATEWAY_WORKERS, otherwise 1)."),
  Options.optional
)

const serve = Command.make("serve", { workers }, ({ workers }) => serveUntilStopped(workers)).pipe(
  Command.withDescription("Serve the gateway until SIGTERM or SIGINT.")
)

export const serveCommand = leaf(serve)
