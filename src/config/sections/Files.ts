import { Schema } from "effect"
import { optionalField } from "./fields.ts"
import { Count, HeaderSecret, HttpUrl, Text } from "./values.ts"

/** `files` as a mapping: storage of the files that the gateway serves. */
export const Files = Schema.Struct({
  at: optionalField(
    Text,
    "`s3://<bucket>/<prefix>`, or a folder relative to `gateway.yaml`; several machines may share it.",
    "the data directory"
  ),
  endpoint: optionalField(
    HttpUrl,
    "The address of S3 or a compatible server (MinIO, R2, Ceph, …), without the bucket.",
    "AWS"
  ),
  region: optionalField(Text, "The bucket's region.", "`AWS_REGION` or `AWS_DEFAULT_REGION`, otherwise `us-east-1`"),
  path_style: optionalField(
    Schema.Boolean,
    "`true`: `https://server/bucket/key`; `false`: `https://bucket.server/key`.",
    "`true`"
  ),
  access_key_id: optionalField(
    HeaderSecret,
    "The access key's id. Without keys the gateway looks for them as it does for [`auth: aws`](#cloud-credentials).",
    "`AWS_ACCESS_KEY_ID`"
  ),
  secret_access_key: optionalField(HeaderSecret, "The access key's secret.", "`AWS_SECRET_ACCESS_KEY`"),
  session_token: optionalField(HeaderSecret, "The token of temporary credentials.", "`AWS_SESSION_TOKEN`"),
  profile: optionalField(Text, "A profile of AWS's shared files, in place of keys."),
  role_arn: optionalField(Text, "A role to assume with the keys."),
  max_bytes: optionalField(Count, "The largest file.", "2 GiB"),
  free_bytes: optionalField(Schema.Int.pipe(Schema.nonNegative()), "Disk space that stays free.", "512 MiB")
})
