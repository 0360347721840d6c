/** The largest inputs that the product lets in. */
export const userLimits = {
  /** Of a commit or tag. */
  commitBytes: 1024 * 1024,
  headerLines: 20_000,
  parents: 1_000,
  treeEntries: 100_000,
  /** PATH_MAX of Linux. */
  pathBytes: 4_095,
  pathParts: 2_048,
  refs: 20_000,
  refNameBytes: 255,
  pushCommands: 10_000,
  /** A blob that is compared or merged by its lines. */
  textBytes: 1024 * 1024,
  /** `.gitattributes` and `.gitmodules`. */
  configBytes: 256 * 1024,
  /** Of a JSON body. */
  bodyBytes: 256 * 1024,
  /** The headers of a request together: the default of Node.js. */
  headerBytes: 16 * 1024,
  /** The subject of a patch, and the name of its author. */
  mailHeaderChars: 16_384,
  /** A request for a pack. */
  fetchBytes: 10 * 1024 * 1024,
};
