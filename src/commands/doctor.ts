import { Command } from "@effect/cli"
import { Effect } from "effect"
import { logger } from "./administer.ts"
import { leaf } from "./frame/leaf.ts"
import { help, json, optionalText } from "./options.ts"

const doctor = Command.make(
  "doctor",
  {
    bundle: optionalText("bundle", "Also write a report without secrets to this file, to send to others."),
    json
  },
  ({ bundle, json }) =>
    Effect.flatMap(
      Effect.promise(() => import("./doctor/examine.ts")),
      ({ examine }) => Effect.provide(examine(json, bundle), logger)
    )
).pipe(
  Command.withDescription(
    help(
      "Check the installation: configuration, upstreams, database, Redis, files, disk, limits of the process, sign-in, addresses and certificates, and what a running gateway says. Says what to change; exits with 1 if something has to be. Changes nothing.",
      "gateway doctor",
      "gateway doctor --json",
      "gateway doctor --bundle report.json"
    )
  )
)

export const doctorCommand = leaf(doctor)
