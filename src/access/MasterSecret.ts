import { hkdfSync } from "node:crypto"
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Data, Effect, Layer, Option, Redacted } from "effect"
import { ownDirectory, ownFiles } from "../config/ownFiles.ts"
import { testDouble } from "../contract/testDouble.ts"

/** An invalid secret. The gateway refuses to start; the message is one line without the secret. */
export class BadSecret extends Data.TaggedError("BadSecret")<{ readonly message: string }> {}

const shortest = 32

/** The secret outside the database from which all others are derived. */
export class MasterSecret extends Context.Tag("gateway/access/MasterSecret")<
  MasterSecret,
  {
    /**
     * Derives 32 bytes with HKDF.
     * @param purpose unique in the gateway: `webhook/<account>/<version>`
     */
    readonly derive: (purpose: string) => Redacted.Redacted<Uint8Array>
  }
>() {
  /** @param given `GATEWAY_SECRET`; by default a file in the data directory, created at the first start */
  static readonly layer = (options: { readonly given: Option.Option<Redacted.Redacted>; readonly directory: string }) =>
    Layer.effect(
      MasterSecret,
      Effect.map(
        Option.isSome(options.given) ? check(options.given.value, "GATEWAY_SECRET") : fromFile(options.directory),
        (master) => ({
          derive: (purpose: string) =>
            Redacted.make(new Uint8Array(hkdfSync("sha256", Redacted.value(master), "", purpose, 32)))
        })
      )
    )

  /** For tests: using a missing member dies. */
  static readonly Test = (given: Partial<(typeof MasterSecret)["Service"]>) => testDouble(MasterSecret, given)
}

const check = (secret: Redacted.Redacted, source: string) => {
  const { length } = Redacted.value(secret)
  return length >= shortest
    ? Effect.succeed(secret)
    : Effect.fail(
        new BadSecret({ message: `${source}: expected a secret of ${shortest} or more characters; got ${length}` })
      )
}

/** Reads or creates the file. Written aside and then linked, so that it is never partial and one of two starts wins. */
const fromFile = (directory: string) => {
  const file = join(directory, "secret")
  const unusable = () =>
    new BadSecret({ message: `${file}: the gateway's secret file can't be created or read; set GATEWAY_SECRET` })
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
    Effect.flatMap((secret) => check(Redacted.make(secret), file))
  )
}
