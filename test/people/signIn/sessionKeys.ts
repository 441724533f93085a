export const adminKey = "admin-key-0123456789abcdefghijklmnop"
