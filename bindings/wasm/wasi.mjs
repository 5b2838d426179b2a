// What a program of WASI (preview 1) needs to read files that a page has, and
// to write files into memory: no clock but the time of day, no network.

const kSuccess = 0, kBadFile = 8, kExists = 20, kInvalid = 28, kNotFound = 44, kNotSupported = 58;
const kTerminal = 2, kFolder = 3, kFile = 4;
const kCreate = 1, kExclusive = 4, kTruncate = 8;
const kRoot = 3;  // Descriptor of "/".

export class Exit extends Error {
  constructor(code) {
    super(`exit code ${code}`);
    this.code = code;
  }
}

const normal = (path) =>
  path.split("/").filter((name) => name !== "" && name !== ".").join("/");

export class Wasi {
  #memory;
  #open = new Map([[kRoot, { folder: "" }]]);
  #next = kRoot + 1;
  #decoders = [null, new TextDecoder(), new TextDecoder()];

  // `files` are Uint8Arrays, or Blobs in a worker, by path; `folders` may be
  // written to. What the program prints goes to onOutput(1 or 2, text).
  constructor(words, files, folders, onOutput) {
    this.words = words.map((word) => new TextEncoder().encode(`${word}\0`));
    this.files = new Map([...files].map(([path, data]) => [normal(path), data]));
    this.folders = new Set(["", ...folders.map(normal)]);
    for (const path of this.files.keys()) {
      for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
        this.folders.add(path.slice(0, at));
      }
    }
    this.onOutput = onOutput;
  }

  // Runs the program and returns its exit code.
  async run(module) {
    const imports = {};
    for (const { module: name, name: call } of WebAssembly.Module.imports(module)) {
      imports[name] ??= {};
      imports[name][call] = (...values) => this[call]?.(...values) ?? kNotSupported;
    }
    const { exports } = await WebAssembly.instantiate(module, imports);
    this.#memory = exports.memory;
    try {
      exports._start();
    } catch (error) {
      if (error instanceof Exit) return error.code;
      throw error;
    }
    return 0;
  }

  get #view() {
    return new DataView(this.#memory.buffer);
  }
  #bytes(address, count) {
    return new Uint8Array(this.#memory.buffer, address, count);
  }
  #path(address, count, folder) {
    const path = new TextDecoder().decode(this.#bytes(address, count).slice());
    return normal(`${this.#open.get(folder)?.folder ?? ""}/${path}`);
  }
  #kind(path) {
    return this.files.has(path) ? kFile : this.folders.has(path) ? kFolder : 0;
  }

  // ---- The program, and the time ---------------------------------------------

  proc_exit(code) {
    throw new Exit(code);
  }
  #strings(addresses, text, strings) {
    for (const string of strings) {
      this.#view.setUint32(addresses, text, true);
      this.#bytes(text, string.length).set(string);
      addresses += 4;
      text += string.length;
    }
    return kSuccess;
  }
  #sizes(count, bytes, strings) {
    this.#view.setUint32(count, strings.length, true);
    this.#view.setUint32(bytes, strings.reduce((sum, { length }) => sum + length, 0), true);
    return kSuccess;
  }
  args_get(addresses, text) {
    return this.#strings(addresses, text, this.words);
  }
  args_sizes_get(count, bytes) {
    return this.#sizes(count, bytes, this.words);
  }
  environ_get() {
    return kSuccess;
  }
  environ_sizes_get(count, bytes) {
    return this.#sizes(count, bytes, []);
  }
  clock_time_get(clock, precision, out) {
    const milliseconds = performance.timeOrigin + performance.now();
    this.#view.setBigUint64(out, BigInt(Math.round(milliseconds * 1e6)), true);
    return kSuccess;
  }
  sched_yield() {
    return kSuccess;
  }

  // ---- Descriptors -----------------------------------------------------------

  fd_prestat_get(fd, out) {
    if (fd !== kRoot) return kBadFile;
    this.#view.setUint8(out, 0);
    this.#view.setUint32(out + 4, 1, true);
    return kSuccess;
  }
  fd_prestat_dir_name(fd, out, count) {
    if (fd !== kRoot) return kBadFile;
    this.#bytes(out, count)[0] = "/".charCodeAt(0);
    return kSuccess;
  }
  fd_fdstat_get(fd, out) {
    const file = this.#open.get(fd);
    if (file === undefined && fd > 2) return kBadFile;
    this.#bytes(out, 24).fill(0);
    this.#view.setUint8(out, fd <= 2 ? kTerminal : file.folder !== undefined ? kFolder : kFile);
    this.#view.setBigUint64(out + 8, ~0n, true);
    this.#view.setBigUint64(out + 16, ~0n, true);
    return kSuccess;
  }
  fd_fdstat_set_flags() {
    return kSuccess;
  }
  #putStat(out, kind, size) {
    this.#bytes(out, 64).fill(0);
    this.#view.setUint8(out + 16, kind);
    this.#view.setBigUint64(out + 24, 1n, true);
    this.#view.setBigUint64(out + 32, BigInt(size), true);
    return kSuccess;
  }
  fd_filestat_get(fd, out) {
    const file = this.#open.get(fd);
    if (fd <= 2) return this.#putStat(out, kTerminal, 0);
    if (file === undefined) return kBadFile;
    return file.folder !== undefined
      ? this.#putStat(out, kFolder, 0)
      : this.#putStat(out, kFile, sizeOf(this.files.get(file.path)));
  }
  path_filestat_get(folder, flags, path, count, out) {
    const name = this.#path(path, count, folder);
    const kind = this.#kind(name);
    if (kind === 0) return kNotFound;
    return this.#putStat(out, kind, kind === kFile ? sizeOf(this.files.get(name)) : 0);
  }
  path_open(folder, flags, path, count, how, rights, inherited, fdFlags, out) {
    const name = this.#path(path, count, folder);
    let kind = this.#kind(name);
    if (kind !== 0 && how & kExclusive) return kExists;
    if (kind === 0) {
      const parent = name.slice(0, Math.max(0, name.lastIndexOf("/")));
      if (!(how & kCreate) || !this.folders.has(parent)) return kNotFound;
    }
    if (kind === 0 || (kind === kFile && how & kTruncate)) {
      this.files.set(name, new Written());
      kind = kFile;
    }
    const file = kind === kFolder ? { folder: name } : { path: name, at: 0 };
    this.#open.set(this.#next, file);
    this.#view.setUint32(out, this.#next++, true);
    return kSuccess;
  }
  fd_close(fd) {
    return this.#open.delete(fd) ? kSuccess : kBadFile;
  }
  fd_seek(fd, offset, whence, out) {
    const file = this.#open.get(fd);
    if (file?.path === undefined) return kBadFile;
    const from = [0, file.at, sizeOf(this.files.get(file.path))][whence];
    if (from === undefined || from + Number(offset) < 0) return kInvalid;
    file.at = from + Number(offset);
    this.#view.setBigUint64(out, BigInt(file.at), true);
    return kSuccess;
  }
  // Calls work(address, bytes), which says how many it has done, for each vector.
  #each(vectors, count, out, work) {
    let sum = 0;
    for (let i = 0; i < count; ++i) {
      const address = this.#view.getUint32(vectors + 8 * i, true);
      const bytes = this.#view.getUint32(vectors + 8 * i + 4, true);
      const done = work(address, bytes);
      sum += done;
      if (done < bytes) break;
    }
    this.#view.setUint32(out, sum, true);
    return kSuccess;
  }
  fd_read(fd, vectors, count, out) {
    if (fd === 0) return this.#each(vectors, count, out, () => 0);
    const file = this.#open.get(fd);
    if (file?.path === undefined) return kBadFile;
    const data = this.files.get(file.path);
    return this.#each(vectors, count, out, (address, bytes) => {
      const part = read(data, file.at, bytes);
      this.#bytes(address, part.length).set(part);
      file.at += part.length;
      return part.length;
    });
  }
  fd_write(fd, vectors, count, out) {
    const file = this.#open.get(fd);
    if (fd > 2 && !(this.files.get(file?.path) instanceof Written)) return kBadFile;
    return this.#each(vectors, count, out, (address, bytes) => {
      const part = this.#bytes(address, bytes).slice();
      if (fd <= 2) {
        this.onOutput(fd, this.#decoders[fd].decode(part, { stream: true }));
      } else {
        this.files.get(file.path).write(part, file.at);
        file.at += bytes;
      }
      return bytes;
    });
  }

  // ---- Folders ---------------------------------------------------------------

  fd_readdir(fd, out, most, cookie, used) {
    const folder = this.#open.get(fd)?.folder;
    if (folder === undefined) return kBadFile;
    const begin = folder === "" ? "" : `${folder}/`;
    const names = [...this.folders, ...this.files.keys()]
      .filter((path) => path.startsWith(begin) && path !== folder)
      .map((path) => path.slice(begin.length))
      .filter((name) => name !== "" && !name.includes("/"));
    const room = new Uint8Array(most);
    let at = 0;
    for (let i = Number(cookie); i < names.length && at < most; ++i) {
      const name = new TextEncoder().encode(names[i]);
      const entry = new Uint8Array(24 + name.length);
      const header = new DataView(entry.buffer);
      header.setBigUint64(0, BigInt(i + 1), true);
      header.setUint32(16, name.length, true);
      header.setUint8(20, this.#kind(begin + names[i]));
      entry.set(name, 24);
      const part = entry.subarray(0, most - at);
      room.set(part, at);
      at += part.length;
    }
    this.#bytes(out, at).set(room.subarray(0, at));
    this.#view.setUint32(used, at, true);
    return kSuccess;
  }
  path_rename(from, path, count, to, newPath, newCount) {
    const name = this.#path(path, count, from);
    if (!this.files.has(name)) return kNotFound;
    this.files.set(this.#path(newPath, newCount, to), this.files.get(name));
    this.files.delete(name);
    return kSuccess;
  }
  path_unlink_file(folder, path, count) {
    return this.files.delete(this.#path(path, count, folder)) ? kSuccess : kNotFound;
  }
  path_readlink() {
    return kInvalid;  // There are no links.
  }
}

// A file of the program, in pieces.
class Written {
  parts = [];
  size = 0;
  write(part, at) {
    if (at !== this.size) throw new Error("only the end of a file is written");
    this.parts.push(part);
    this.size += part.length;
  }
}

const sizeOf = (data) => data.size ?? data.length;

function read(data, at, bytes) {
  if (data instanceof Uint8Array) return data.subarray(at, at + bytes);
  const slice = (data instanceof Written ? new Blob(data.parts) : data).slice(at, at + bytes);
  return new Uint8Array(new FileReaderSync().readAsArrayBuffer(slice));
}
