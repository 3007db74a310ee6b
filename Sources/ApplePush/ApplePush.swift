/// The version of Apple's provider API that this module speaks, as it stands in a path: `/3/device/<token>`.
///
/// `ApplePush` holds APNs' words as values: device tokens, push types, payloads, provider tokens, answers. It opens no
/// connection and reads no clock; `ApplePushConnection` does. Together they serve any Swift program, without the rest of
/// Carillon.
public enum ProviderAPI {
    /// The path of a request before the device token.
    public static let devicePath = "/3/device/"
}
