/// The version of this package: of the SDK, the server and the command.
package enum CarillonVersion {
    /// Major, minor and patch, as the tag of the release.
    package static let current = "0.1.0"
}
