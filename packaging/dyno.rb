class Dyno < Formula
  desc "Test bench for chess engines"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    url "@REPOSITORY@/releases/download/v@VERSION@/dyno-v@VERSION@-universal-apple-darwin.tar.gz"
    sha256 "@SUM_MACOS@"
  end

  on_linux do
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/dyno-v@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SUM_LINUX_X86_64@"
    end
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/dyno-v@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SUM_LINUX_AARCH64@"
    end
  end

  def install
    bin.install "dyno"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/dyno.bash" => "dyno"
    zsh_completion.install "completions/_dyno"
    fish_completion.install "completions/dyno.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/dyno --version")
    assert_match "8,902", shell_output("#{bin}/dyno perft 3")
  end
end
