"""People, company and job data: search, enrichment and jobs, from the service itself or from a storefront.

>>> from sluice import Sluice
>>> client = Sluice(api_key="sk_test", base_url="https://api.example.com")
"""

from ._async.client import AsyncSluice
from ._async.pages import (
    AsyncCallsPage,
    AsyncCompaniesPage,
    AsyncCursorPage,
    AsyncEmployeesPage,
    AsyncJobsPage,
    AsyncPage,
    AsyncPeoplePage,
    AsyncReceiptsPage,
    AsyncTamByJobsPage,
    AsyncTamByPeoplePage,
)
from ._async.streams import AsyncStream
from ._sync.client import Sluice
from ._sync.pages import (
    CallsPage,
    CompaniesPage,
    CursorPage,
    EmployeesPage,
    JobsPage,
    Page,
    PeoplePage,
    ReceiptsPage,
    TamByJobsPage,
    TamByPeoplePage,
)
from ._sync.streams import Stream
from .accounts import (
    AccountKey,
    AccountOverview,
    AutoTopUp,
    CallRecord,
    Claim,
    NewAccountKey,
    Promotion,
    PurchaseState,
    Receipt,
    RefundRequest,
    Subscription,
    SubscriptionState,
    UsageReport,
)
from .charges import Charge, Renewal, ResponseInfo, charge
from .company import Company, CompanyJobs, CompanyPeople
from .errors import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    ConfigurationError,
    FieldError,
    InsufficientRecordsError,
    NotFoundError,
    PartialList,
    PaymentDeclinedError,
    PlanRequiredError,
    RateLimitError,
    ResponseValidationError,
    ServerError,
    SluiceError,
    StreamError,
    ValidationError,
    WebhookVerificationError,
)
from .events import StreamEvent
from .job import Job
from .key_info import KeyInfo
from .person import Person, RankedPerson
from .profile import Profile
from .record import Record
from .shop import Guide, Plan, Purchase, Registration
from .version import __version__
from .webhooks import Webhook, verify_webhook

__all__ = [
    "APIConnectionError",
    "APIStatusError",
    "APITimeoutError",
    "AccountKey",
    "AccountOverview",
    "AsyncCallsPage",
    "AsyncCompaniesPage",
    "AsyncCursorPage",
    "AsyncEmployeesPage",
    "AsyncJobsPage",
    "AsyncPage",
    "AsyncPeoplePage",
    "AsyncReceiptsPage",
    "AsyncSluice",
    "AsyncStream",
    "AsyncTamByJobsPage",
    "AsyncTamByPeoplePage",
    "AuthenticationError",
    "AutoTopUp",
    "BadRequestError",
    "CallRecord",
    "CallsPage",
    "Charge",
    "Claim",
    "CompaniesPage",
    "Company",
    "CompanyJobs",
    "CompanyPeople",
    "ConfigurationError",
    "CursorPage",
    "EmployeesPage",
    "FieldError",
    "Guide",
    "InsufficientRecordsError",
    "Job",
    "JobsPage",
    "KeyInfo",
    "NewAccountKey",
    "NotFoundError",
    "Page",
    "PartialList",
    "PaymentDeclinedError",
    "PeoplePage",
    "Person",
    "Plan",
    "PlanRequiredError",
    "Profile",
    "Promotion",
    "Purchase",
    "PurchaseState",
    "RankedPerson",
    "RateLimitError",
    "Receipt",
    "ReceiptsPage",
    "Record",
    "RefundRequest",
    "Registration",
    "Renewal",
    "ResponseInfo",
    "ResponseValidationError",
    "ServerError",
    "Sluice",
    "SluiceError",
    "Stream",
    "StreamError",
    "StreamEvent",
    "Subscription",
    "SubscriptionState",
    "TamByJobsPage",
    "TamByPeoplePage",
    "UsageReport",
    "ValidationError",
    "Webhook",
    "WebhookVerificationError",
    "__version__",
    "charge",
    "verify_webhook",
]
