import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync
} from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import { Data, Effect, Either, Schema } from "effect"

/** The file of sign-ins can't be read or written. */
export class BadStore extends Data.TaggedError("BadStore")<{ readonly message: string }> {}

const StoredSignIn = Schema.Struct({
  access_token: Schema.Redacted(Schema.String),
  /** Null: the sign-in ends with the access token. */
  refresh_token: Schema.NullOr(Schema.Redacted(Schema.String)),
  expires_at: Schema.Date,
  email: Schema.NullOr(Schema.String)
})
export type StoredSignIn = typeof StoredSignIn.Type

/** By the gateway's address. */
const Document = Schema.parseJson(Schema.Record({ key: Schema.String, value: StoredSignIn }), { space: 2 })

/** The user's configuration folder (XDG base directories: relative paths don't count). */
const folder = (): string => {
  const configured = process.env["XDG_CONFIG_HOME"] ?? ""
  return join(isAbsolute(configured) ? configured : join(homedir(), ".config"), "model-gateway")
}

export const signInsFile = (): string => join(folder(), "tokens.json")

/** Makes the folder, private to the user. */
export const ownFolder = Effect.try({
  try: () => {
    mkdirSync(folder(), { recursive: true, mode: 0o700 })
    chmodSync(folder(), 0o700)
  },
  catch: (cause) => failed(folder(), cause)
})

/** All sign-ins; empty if there is no file. */
export const readSignIns: Effect.Effect<Readonly<Record<string, StoredSignIn>>, BadStore> = Effect.suspend(() => {
  const file = signInsFile()
  const text = Either.try({ try: () => readFileSync(file, "utf8"), catch: (cause) => cause })
  if (Either.isLeft(text)) {
    return codeOf(text.left) === "ENOENT" ? Effect.succeed({}) : failed(file, text.left)
  }
  return Effect.mapError(
    Schema.decode(Document)(text.right),
    () => new BadStore({ message: `${file} is not what this version writes: remove it, and sign in again` })
  )
})

/** Stores a gateway's sign-in, or removes it. Other processes see the file as it was or as it is. Run it inside `alone`. */
export const storeSignIn = (address: string, signIn: StoredSignIn | undefined): Effect.Effect<void, BadStore> =>
  Effect.gen(function* () {
    const { [address]: _former, ...others } = yield* readSignIns
    const text = yield* Effect.orDie(
      Schema.encode(Document)(signIn === undefined ? others : { ...others, [address]: signIn })
    )
    yield* ownFolder
    const file = signInsFile()
    yield* Effect.try({ try: () => replace(file, `${text}\n`), catch: (cause) => failed(file, cause) })
  })

const replace = (file: string, text: string): void => {
  const draft = `${file}.${crypto.randomUUID()}`
  try {
    const handle = openSync(draft, "wx", 0o600)
    try {
      writeSync(handle, text)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(draft, file)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw cause
  }
}

const failed = (path: string, cause: unknown) =>
  new BadStore({ message: `${path}: ${cause instanceof Error ? cause.message : String(cause)}` })

const codeOf = (cause: unknown) => (cause instanceof Error && "code" in cause ? cause.code : undefined)
