/// The version of Apple's provider API that this module speaks, as it stands in a path: `/3/device/<token>`.
///
/// `ApplePush` holds APNs' words as values: device tokens, push types, payloads, provider tokens, answers. It opens no
/// connection and reads no clock; `ApplePushConnection` does. Together they serve any Swift program, without the rest of
/// Carillon.
public enum ProviderAPI {
    /// What stands before the device token in a request's path.
    public static let devicePath = "/3/device/"
}
