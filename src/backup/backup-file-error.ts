/** The file is no backup, is damaged, or cannot be decrypted. The message is for the operator. */
export class BackupFileError extends Error {}
