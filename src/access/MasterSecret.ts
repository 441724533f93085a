import { hkdfSync } from "node:crypto"
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Data, Effect, Layer, Option, Redacted } from "effect"
import { ownDirectory, ownFiles } from "../config/ownFiles.ts"
import { testDouble } from "../contract/testDouble.ts"

/** The start stops here; the message is one line that names what is wrong, never the secret. */
export class BadSecret extends Data.TaggedError("BadSecret")<{ readonly message: string }> {}

const shortest = 32

/** The one secret outside the database, from which the gateway's others are derived. */
export class MasterSecret extends Context.Tag("gateway/access/MasterSecret")<
  MasterSecret,
  {
    /**
     * 32 bytes that only the holder of the master secret can make; another purpose gives others.
     * @param purpose what they are for, unique in the gateway: `webhook/<account>/<version>`
     */
    readonly derive: (purpose: string) => Redacted.Redacted<Uint8Array>
  }
>() {
  /** @param given `GATEWAY_SECRET`; without it a file in the data directory, made at the first start */
  static readonly layer = (options: { readonly given: Option.Option<Redacted.Redacted>; readonly directory: string }) =>
    Layer.effect(
      MasterSecret,
      Effect.map(
        Option.isSome(options.given) ? checked(options.given.value, "GATEWAY_SECRET") : kept(options.directory),
        (master) => ({
          derive: (purpose: string) =>
            Redacted.make(new Uint8Array(hkdfSync("sha256", Redacted.value(master), "", purpose, 32)))
        })
      )
    )

  /** For tests: what is not given dies when it is used. */
  static readonly Test = (given: Partial<(typeof MasterSecret)["Service"]>) => testDouble(MasterSecret, given)
}

const checked = (secret: Redacted.Redacted, source: string) => {
  const { length } = Redacted.value(secret)
  return length >= shortest
    ? Effect.succeed(secret)
    : Effect.fail(
        new BadSecret({ message: `${source}: expected a secret of ${shortest} or more characters; got ${length}` })
      )
}

/** The file appears whole or not at all, and of two first starts at once one wins: written aside, then linked. */
const kept = (directory: string) => {
  const file = join(directory, "secret")
  const unusable = () =>
    new BadSecret({ message: `${file}: the file of the gateway's secret can't be made or read; set GATEWAY_SECRET` })
  const read = Effect.try({ try: () => readFileSync(file, "utf8").trim(), catch: unusable })
  const make = Effect.try({
    try: () => {
      const draft = `${file}.${crypto.randomUUID()}`
      const text = Buffer.from(crypto.getRandomValues(new Uint8Array(48))).toString("base64url")
      writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: "wx", flush: true })
      try {
        linkSync(draft, file)
      } finally {
        rmSync(draft)
      }
    },
    catch: unusable
  })
  const made = Effect.zipRight(ownDirectory(directory), make).pipe(Effect.catchAllCause(() => Effect.void))
  return Effect.suspend(() => (existsSync(file) ? ownFiles(file) : made)).pipe(
    Effect.zipRight(read),
    Effect.flatMap((secret) => checked(Redacted.make(secret), file))
  )
}
