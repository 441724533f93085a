import { Schema } from "effect"
import { CredentialsFile } from "../SecretFiles.ts"
import { HeaderSecret, Secret, Text } from "./values.ts"

const optional = Schema.optional

const Aws = Schema.Struct({
  kind: Schema.Literal("aws"),
  profile: optional(Text),
  role_arn: optional(Text),
  access_key_id: optional(HeaderSecret),
  secret_access_key: optional(HeaderSecret),
  session_token: optional(HeaderSecret)
}).pipe(
  Schema.filter(({ access_key_id: id, profile, secret_access_key: secret, session_token: token }) =>
    (id === undefined) !== (secret === undefined)
      ? "expected access_key_id and secret_access_key together"
      : id === undefined && token !== undefined
        ? "expected session_token beside access_key_id"
        : id === undefined || profile === undefined || "expected profile or access_key_id, one of them"
  )
)

const Google = Schema.Struct({
  kind: Schema.Literal("google"),
  credentials_file: optional(CredentialsFile),
  scopes: optional(Schema.NonEmptyArray(Text))
})

const Azure = Schema.Struct({
  kind: Schema.Literal("azure"),
  tenant_id: optional(Text),
  client_id: optional(Text),
  client_secret: optional(Secret),
  scope: optional(Text)
})

/** `auth` of an upstream: by a key, or by a cloud's credentials that end. */
export const AuthSetting = Schema.Union(Schema.Literal("key", "aws", "google", "azure"), Aws, Google, Azure)
export type AuthSetting = typeof AuthSetting.Type

/** A setting with its fields, which a bare name leaves out. */
export const authFields = (auth: AuthSetting): Exclude<AuthSetting, string> | { readonly kind: "key" } =>
  typeof auth === "string" ? { kind: auth } : auth
