# The formula for Homebrew. packaging/build fills in the version and the checksum of the archive of the sources.
class Hclvm < Formula
  desc "Bytecode engine for HCL: evaluate, check, test and format, decide by policies"
  homepage "https://github.com/hclvm/hclvm"
  url "https://github.com/hclvm/hclvm/releases/download/v@VERSION@/hclvm-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    # Without GMP and MPFR, so that the binary has permissive licences alone.
    system "cargo", "install", "--no-default-features", "--features", "pure,csv,line-editing,lsp", *std_cargo_args(path: "cli")
    generate_completions_from_executable(bin/"hclvm", "completions")
    (man1/"hclvm.1").write Utils.safe_popen_read(bin/"hclvm", "man")
  end

  test do
    assert_equal "42\n", shell_output("#{bin}/hclvm eval -e '6 * 7'")
  end
end
