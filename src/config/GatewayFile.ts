import { Schema } from "effect"
import { Unpriced } from "../contract/Caller.ts"
import { DatabaseSection } from "./databaseSettings.ts"
import { Files } from "./sections/Files.ts"
import { given, needed } from "./sections/given.ts"
import { Account, DeclaredKey } from "./sections/Key.ts"
import { Log } from "./sections/Log.ts"
import { Model } from "./sections/Model.ts"
import { Custody, Requests, Retention } from "./sections/Retention.ts"
import { Search } from "./sections/Search.ts"
import { Server } from "./sections/Server.ts"
import { Upstream } from "./sections/Upstream.ts"
import { Secret, Text } from "./sections/values.ts"

/** `gateway.yaml`. Every field is optional; unknown ones are refused. */
export const GatewayFile = Schema.Struct({
  server: given(Server, "The process: [its fields](#server)."),
  database: given(
    Schema.Union(Secret, DatabaseSection),
    "`sqlite:<path>`, `sqlite::memory:` or `postgres://<user>:<password>@<host>:<port>/<name>`; or that as `url` of [its fields](#database).",
    "`sqlite:data/gateway.db`"
  ),
  upstreams: given(
    Schema.Record({ key: Schema.String, value: Upstream }),
    "Where models run: a name of your choice for each, [its fields](#upstreams). `sandbox` is taken.",
    "the sandbox alone"
  ),
  models: given(
    Schema.Record({ key: Schema.String, value: Schema.Union(Text, Model) }),
    "By the id that callers use: the name of an upstream that has it under the same id, or [its fields](#models)."
  ),
  keys: given(
    Schema.Array(DeclaredKey),
    "Keys kept with the configuration, [each with its fields](#keys-and-accounts): made with it, changed with it, revoked once they are gone from it."
  ),
  accounts: given(
    Schema.Record({ key: Text, value: Account }),
    "What holds for all keys of an account, [by its id](#keys-and-accounts)."
  ),
  prices_file: given(
    Text,
    "A YAML or JSON file of [prices](#prices), relative to `gateway.yaml`; read again with it, and when it changes."
  ),
  unpriced: given(
    Unpriced,
    "Whether models without a price may be used by accounts with a balance and keys with a budget ([prices](#prices)).",
    "`refuse`"
  ),
  search: given(Search, "Web search for models whose upstream has none: [its fields](#search).", "no search"),
  requests: given(
    Requests,
    "`{ max_rows }`: rows of requests that are kept at most; the oldest go first.",
    "`20000000`"
  ),
  log: given(Log, "Lines of standard output: [its fields](#log)."),
  redis: given(
    Schema.Struct({ url: needed(Secret, "`redis://host:port` or `rediss://…`; Valkey will do.") }),
    "`{ url }` of a Redis, which counts the limits of all processes together: [Redis](#redis).",
    "each process counts its own"
  ),
  callbacks: given(
    Schema.Struct({
      allow: given(Schema.Array(Text), "Private ranges of addresses that callers' URLs may reach all the same.", "none")
    }),
    '`{ allow: ["10.1.0.0/16"] }`: private ranges that callers\' URLs (callbacks, images, documents) may reach all the same.',
    "none"
  ),
  files: given(
    Schema.Union(Text, Files),
    "Where files live that the gateway serves at its own links: `s3://<bucket>/<prefix>` or a folder, short for `at` of [its fields](#files).",
    "the data directory"
  ),
  custody: given(
    Custody,
    "`{ keep: 30d }`: copies of finished videos that upstreams only link to ([custody](#custody)).",
    "none"
  ),
  retention: given(Retention, "How long things are kept that have ended: [its fields](#retention).")
})
export type GatewayFile = typeof GatewayFile.Type
