// The types in the SDK's own signatures, so that an app imports one module. Name by name, because the model has types such
// as `Button` and `Message` that would conflict with an app's own.
@_exported public import struct CarillonModel.Consent
@_exported public import struct CarillonModel.ConsentTimes
@_exported public import enum CarillonModel.DeviceCategories
@_exported public import struct CarillonModel.DeviceID
@_exported public import struct CarillonModel.DeviceLocation
@_exported public import struct CarillonModel.DeviceRecord
@_exported public import struct CarillonModel.DeviceToken
@_exported public import struct CarillonModel.Event
@_exported public import struct CarillonModel.FieldError
@_exported public import struct CarillonModel.InboxMessage
@_exported public import enum CarillonModel.JSONValue
@_exported public import struct CarillonModel.Media
@_exported public import enum CarillonModel.NotificationPermission
@_exported public import struct CarillonModel.OccurrenceID
@_exported public import struct CarillonModel.Problem
@_exported public import enum CarillonModel.PushType
@_exported public import struct CarillonModel.Receipt
@_exported public import struct CarillonModel.Registration
@_exported public import struct CarillonModel.TagID
@_exported public import struct CarillonModel.Timestamp
@_exported public import struct CarillonModel.UserID
@_exported public import struct CarillonModel.UserProof
@_exported public import struct CarillonModel.VoIPRecord
@_exported public import struct CarillonModel.VoIPRegistration
