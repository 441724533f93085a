/** The gateway's own variables that hold secrets, each of which `<NAME>_FILE` may name a file for. */
export const secretVariables = [
  "GATEWAY_SECRET",
  "GATEWAY_ADMIN_KEY",
  "GATEWAY_BOOTSTRAP_KEY",
  "GATEWAY_WEBHOOK_SECRET",
  "GATEWAY_DATABASE_URL",
  "GATEWAY_DATABASE_DIRECT_URL",
  "GATEWAY_REDIS_URL",
  "GATEWAY_FILES_ACCESS_KEY_ID",
  "GATEWAY_FILES_SECRET_ACCESS_KEY"
] as const
