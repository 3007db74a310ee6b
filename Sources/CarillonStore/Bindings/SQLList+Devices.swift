import CarillonModel
import CarillonSQL
import Foundation

extension SQLList {
    /// A list of Devices' public ids.
    init(_ devices: some Sequence<DeviceID>, _ dialect: Dialect) {
        if dialect == .sqlite {
            var bytes: [UInt8] = []
            for device in devices { bytes += device.bytes }
            self.init(bytes: bytes)
        } else {
            let list = devices.lazy.map { device in
                #""\\x"# + device.rawValue.uuidString.replacing("-", with: "") + "\""
            }
            self.init(arrayText: "{" + list.joined(separator: ",") + "}")
        }
    }
}
