import { Effect, Option, Schema } from "effect"
import { MasterSecret } from "../../../access/MasterSecret.ts"
import { makeSeal } from "../../../access/sealed.ts"

/** A program that registered itself. Its id is this, sealed: the gateway keeps nothing. */
const Client = Schema.Struct({ name: Schema.String, redirects: Schema.Array(Schema.String) })
export type Client = typeof Client.Type

/** A program's request, until its person decides. */
const CodeRequest = Schema.Struct({
  /** The SHA-256 of its id. */
  client: Schema.String,
  name: Schema.String,
  redirect: Schema.String,
  challenge: Schema.String,
  state: Schema.optionalWith(Schema.String, { exact: true }),
  expiresAtMs: Schema.Number
})
export type CodeRequest = typeof CodeRequest.Type

/** A code: who let which request in. */
const Code = Schema.Struct({
  id: Schema.String,
  person: Schema.String,
  account: Schema.String,
  /** Of the client, its address and its challenge (`bindingOf`). */
  binding: Schema.String,
  expiresAtMs: Schema.Number
})
export type Code = typeof Code.Type

const purpose = "oauth/codes"

/** Texts that the gateway gives away and knows again: each kind opens as that kind alone. */
export const makeSealedTexts = Effect.map(MasterSecret, ({ derive }) => {
  const { open, seal } = makeSeal(derive(purpose))
  const sealed = <A>(schema: Schema.Schema<A>, kind: string) => {
    const text = Schema.parseJson(schema)
    const read = Schema.decodeUnknownOption(text)
    const write = Schema.encodeSync(text)
    return {
      seal: (value: A): string => seal(write(value), kind),
      open: (from: string): A | undefined => Option.getOrUndefined(read(open(from, kind)))
    }
  }
  return {
    clients: sealed(Client, "client"),
    requests: sealed(CodeRequest, "request"),
    codes: sealed(Code, "code")
  } as const
})
